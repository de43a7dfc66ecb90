import type { LanguageTexts } from './language-texts.ts';

/** Lithuanian */
export const lt: LanguageTexts = {
  message: {
    plain: 'Patvirtinimo kodas: {code}',
    named: '{brand} patvirtinimo kodas: {code}',
    warning: '. Niekam jo nesakykite',
  },
  mail: {
    subject: 'Jūsų patvirtinimo kodas',
    expiry: 'Kodo galiojimo trukmė: {duration}.',
    warning: 'Niekada niekam jo nesakykite.',
    unwanted: 'Jei jo neprašėte, galite nekreipti dėmesio į šį laišką.',
    origin: 'Išsiuntė {brand} {sender} vardu.',
    questions: 'Turite klausimų? Rašykite {address}.',
    misuse: 'Apie piktnaudžiavimą praneškite {address}.',
  },
};
