import type { SpokenTexts } from './language-texts.ts';

/** Spanish */
export const es: SpokenTexts = {
  message: {
    plain: 'Tu código de verificación es: {code}',
    named: 'Tu código de {brand} es: {code}',
    warning: '. No lo compartas con nadie',
  },
  mail: {
    subject: 'Tu código de verificación',
    expiry: 'Este código caduca en {duration}.',
    warning: 'No lo compartas nunca con nadie.',
    unwanted: 'Si no lo has pedido, puedes ignorar este correo.',
    origin: 'Enviado por {brand} en nombre de {sender}.',
    questions: '¿Preguntas? Escribe a {address}.',
    misuse: 'Para denunciar un uso indebido, escribe a {address}.',
  },
  call: {
    greeting: 'Hola.',
    sentence: 'Tu código de verificación de {brand} es: {code}.',
    again: 'Otra vez: {code}.',
    goodbye: 'Adiós.',
  },
};
