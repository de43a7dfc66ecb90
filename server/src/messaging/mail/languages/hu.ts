import type { LanguageTexts } from './language-texts.ts';

/** Hungarian */
export const hu: LanguageTexts = {
  message: {
    plain: 'Az Ön ellenőrző kódja: {code}',
    named: '{brand} ellenőrző kód: {code}',
    warning: '. Ne adja meg senkinek',
  },
  mail: {
    subject: 'Az Ön ellenőrző kódja',
    expiry: 'A kód érvényessége: {duration}.',
    warning: 'Soha ne adja meg senkinek.',
    unwanted: 'Ha nem Ön kérte, figyelmen kívül hagyhatja ezt az e-mailt.',
    origin: 'Küldte: {brand}, {sender} megbízásából.',
    questions: 'Kérdése van? Írjon ide: {address}.',
    misuse: 'Visszaélés bejelentése: {address}.',
  },
};
