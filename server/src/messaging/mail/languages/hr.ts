import type { LanguageTexts } from './language-texts.ts';

/** Croatian */
export const hr: LanguageTexts = {
  message: {
    plain: 'Verifikacijski kod: {code}',
    named: 'Verifikacijski kod za {brand}: {code}',
    warning: '. Nemojte ga dijeliti ni s kim',
  },
  mail: {
    subject: 'Vaš verifikacijski kod',
    expiry: 'Valjanost koda: {duration}.',
    warning: 'Nemojte ga nikada dijeliti ni s kim.',
    unwanted: 'Ako ga niste zatražili, zanemarite ovu poruku.',
    origin: 'Poslano putem usluge {brand} u ime: {sender}.',
    questions: 'Imate pitanja? Pišite na {address}.',
    misuse: 'Za prijavu zlouporabe pišite na {address}.',
  },
};
