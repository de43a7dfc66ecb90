import type { SpokenTexts } from './language-texts.ts';

/** Portuguese */
export const pt: SpokenTexts = {
  message: {
    plain: 'O seu código de verificação é: {code}',
    named: 'O seu código para {brand} é: {code}',
    warning: '. Não o revele a ninguém',
  },
  mail: {
    subject: 'O seu código de verificação',
    expiry: 'Este código expira dentro de {duration}.',
    warning: 'Nunca o revele a ninguém.',
    unwanted: 'Se não o pediu, pode ignorar este e-mail.',
    origin: 'Enviado por {brand} em nome de {sender}.',
    questions: 'Dúvidas? Escreva para {address}.',
    misuse: 'Para denunciar uma utilização indevida, escreva para {address}.',
  },
  call: {
    greeting: 'Olá.',
    sentence: 'O seu código de verificação para {brand} é: {code}.',
    again: 'Mais uma vez: {code}.',
    goodbye: 'Adeus.',
  },
};
