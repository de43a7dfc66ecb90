import type { SpokenTexts } from './language-texts.ts';

/** Swedish */
export const sv: SpokenTexts = {
  message: {
    plain: 'Din verifieringskod är: {code}',
    named: 'Din verifieringskod för {brand} är: {code}',
    warning: '. Dela den inte med någon',
  },
  mail: {
    subject: 'Din verifieringskod',
    expiry: 'Koden upphör att gälla om {duration}.',
    warning: 'Dela den aldrig med någon.',
    unwanted: 'Om du inte har bett om den kan du bortse från det här mejlet.',
    origin: 'Skickat av {brand} på uppdrag av {sender}.',
    questions: 'Frågor? Skriv till {address}.',
    misuse: 'Skriv till {address} för att anmäla missbruk.',
  },
  call: {
    greeting: 'Hej.',
    sentence: 'Din verifieringskod för {brand} är: {code}.',
    again: 'En gång till: {code}.',
    goodbye: 'Hej då.',
  },
};
