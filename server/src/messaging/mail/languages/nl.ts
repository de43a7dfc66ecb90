import type { SpokenTexts } from './language-texts.ts';

/** Dutch */
export const nl: SpokenTexts = {
  message: {
    plain: 'Je verificatiecode is: {code}',
    named: 'Je verificatiecode voor {brand} is: {code}',
    warning: '. Deel deze code met niemand',
  },
  mail: {
    subject: 'Je verificatiecode',
    expiry: 'Deze code verloopt over {duration}.',
    warning: 'Deel hem nooit met anderen.',
    unwanted: 'Heb je er niet om gevraagd? Dan kun je deze e-mail negeren.',
    origin: 'Verzonden door {brand} namens {sender}.',
    questions: 'Vragen? Schrijf naar {address}.',
    misuse: 'Misbruik melden? Schrijf naar {address}.',
  },
  call: {
    greeting: 'Hallo.',
    sentence: 'Je verificatiecode voor {brand} is: {code}.',
    again: 'Nog een keer: {code}.',
    goodbye: 'Tot ziens.',
  },
};
