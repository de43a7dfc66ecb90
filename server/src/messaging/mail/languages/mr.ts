import type { LanguageTexts } from './language-texts.ts';

/** Marathi */
export const mr: LanguageTexts = {
  message: {
    plain: 'तुमचा पडताळणी कोड: {code}',
    named: 'तुमचा {brand} पडताळणी कोड: {code}',
    warning: '. तो कोणालाही सांगू नका',
  },
  mail: {
    subject: 'तुमचा पडताळणी कोड',
    expiry: 'कोडची वैधता: {duration}.',
    warning: 'तो कधीही कोणालाही सांगू नका.',
    unwanted: 'तुम्ही तो मागितला नसेल, तर या ईमेलकडे दुर्लक्ष करा.',
    origin: '{sender} यांच्या वतीने {brand} ने पाठवले.',
    questions: 'प्रश्न आहेत? {address} वर लिहा.',
    misuse: 'गैरवापर कळवण्यासाठी {address} वर लिहा.',
  },
};
