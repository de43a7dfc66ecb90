import type { LanguageTexts } from './language-texts.ts';

/** Catalan */
export const ca: LanguageTexts = {
  message: {
    plain: 'El teu codi és: {code}',
    named: 'El teu codi de {brand} és: {code}',
    warning: '. No el comparteixis amb ningú',
  },
  mail: {
    subject: 'El teu codi de verificació',
    expiry: 'Aquest codi caduca d’aquí a {duration}.',
    warning: 'No el comparteixis mai amb ningú.',
    unwanted: 'Si no l’has demanat, pots ignorar aquest missatge.',
    origin: 'Enviat per {brand} en nom de {sender}.',
    questions: 'Tens preguntes? Escriu a {address}.',
    misuse: 'Per denunciar un ús indegut, escriu a {address}.',
  },
};
