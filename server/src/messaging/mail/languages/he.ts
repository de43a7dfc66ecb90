import type { LanguageTexts } from './language-texts.ts';

/** Hebrew */
export const he: LanguageTexts = {
  message: {
    plain: 'קוד האימות שלך הוא: {code}',
    named: 'קוד האימות שלך ב-{brand} הוא: {code}',
    warning: '. אין למסור אותו לאיש',
  },
  mail: {
    subject: 'קוד האימות שלך',
    expiry: 'תוקף הקוד: {duration}.',
    warning: 'אין למסור אותו לאיש.',
    unwanted: 'אם לא ביקשת אותו, אפשר להתעלם מהודעה זו.',
    origin: 'נשלח על ידי {brand} בשם {sender}.',
    questions: 'יש שאלות? אפשר לכתוב אל {address}.',
    misuse: 'לדיווח על שימוש לרעה: {address}.',
  },
};
