import type { SpokenTexts } from './language-texts.ts';

/** Danish */
export const da: SpokenTexts = {
  message: {
    plain: 'Din bekræftelseskode er: {code}',
    named: 'Din bekræftelseskode til {brand} er: {code}',
    warning: '. Del den ikke med nogen',
  },
  mail: {
    subject: 'Din bekræftelseskode',
    expiry: 'Koden udløber om {duration}.',
    warning: 'Del den aldrig med nogen.',
    unwanted: 'Hvis du ikke har bedt om den, kan du ignorere denne e-mail.',
    origin: 'Sendt af {brand} på vegne af {sender}.',
    questions: 'Spørgsmål? Skriv til {address}.',
    misuse: 'Skriv til {address} for at anmelde misbrug.',
  },
  call: {
    greeting: 'Hej.',
    sentence: 'Din bekræftelseskode til {brand} er: {code}.',
    again: 'En gang til: {code}.',
    goodbye: 'Farvel.',
  },
};
