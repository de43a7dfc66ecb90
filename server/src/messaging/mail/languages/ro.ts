import type { LanguageTexts } from './language-texts.ts';

/** Romanian */
export const ro: LanguageTexts = {
  message: {
    plain: 'Cod de verificare: {code}',
    named: 'Cod de verificare {brand}: {code}',
    warning: '. Nu îl divulga nimănui',
  },
  mail: {
    subject: 'Codul tău de verificare',
    expiry: 'Codul expiră în {duration}.',
    warning: 'Nu îl divulga niciodată nimănui.',
    unwanted: 'Dacă nu l-ai cerut, poți ignora acest e-mail.',
    origin: 'Trimis de {brand} în numele {sender}.',
    questions: 'Ai întrebări? Scrie la {address}.',
    misuse: 'Pentru a raporta un abuz, scrie la {address}.',
  },
};
