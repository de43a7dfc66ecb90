import type { SpokenTexts } from './language-texts.ts';

/** Brazilian Portuguese */
export const ptBR: SpokenTexts = {
  message: {
    plain: 'Seu código de verificação é: {code}',
    named: 'Seu código para {brand} é: {code}',
    warning: '. Não o compartilhe com ninguém',
  },
  mail: {
    subject: 'Seu código de verificação',
    expiry: 'Este código expira em {duration}.',
    warning: 'Nunca o compartilhe com ninguém.',
    unwanted: 'Se você não o solicitou, ignore este e-mail.',
    origin: 'Enviado por {brand} em nome de {sender}.',
    questions: 'Dúvidas? Escreva para {address}.',
    misuse: 'Para denunciar uso indevido, escreva para {address}.',
  },
  call: {
    greeting: 'Olá.',
    sentence: 'Seu código de verificação para {brand} é: {code}.',
    again: 'Mais uma vez: {code}.',
    goodbye: 'Até logo.',
  },
};
