import type { SpokenTexts } from './language-texts.ts';

/** French */
export const fr: SpokenTexts = {
  message: {
    plain: 'Votre code de vérification est : {code}',
    named: 'Votre code de vérification {brand} est : {code}',
    warning: '. Ne le communiquez à personne',
  },
  mail: {
    subject: 'Votre code de vérification',
    expiry: 'Ce code expire dans {duration}.',
    warning: 'Ne le communiquez jamais à personne.',
    unwanted: 'Si vous ne l’avez pas demandé, vous pouvez ignorer cet e-mail.',
    origin: 'Envoyé par {brand} pour le compte de {sender}.',
    questions: 'Des questions ? Écrivez à {address}.',
    misuse: 'Pour signaler un abus, écrivez à {address}.',
  },
  call: {
    greeting: 'Bonjour.',
    sentence: 'Votre code de vérification {brand} est : {code}.',
    again: 'Je répète : {code}.',
    goodbye: 'Au revoir.',
  },
};
