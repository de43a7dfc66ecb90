import type { LanguageTexts } from './language-texts.ts';

/** Filipino */
export const tl: LanguageTexts = {
  message: {
    plain: 'Ang verification code mo: {code}',
    named: 'Ang {brand} verification code mo: {code}',
    warning: '. Huwag itong ibahagi kaninuman',
  },
  mail: {
    subject: 'Ang verification code mo',
    expiry: 'Mag-e-expire ang code na ito sa loob ng {duration}.',
    warning: 'Huwag na huwag itong ibahagi kaninuman.',
    unwanted: 'Kung hindi mo ito hiningi, huwag pansinin ang email na ito.',
    origin: 'Ipinadala ng {brand} sa ngalan ng {sender}.',
    questions: 'May tanong? Sumulat sa {address}.',
    misuse: 'Para mag-ulat ng pang-aabuso, sumulat sa {address}.',
  },
};
