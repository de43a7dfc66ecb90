import type { SpokenTexts } from './language-texts.ts';

/** Polish */
export const pl: SpokenTexts = {
  message: {
    plain: 'Kod weryfikacyjny: {code}',
    named: 'Kod weryfikacyjny {brand}: {code}',
    warning: '. Nikomu go nie podawaj',
  },
  mail: {
    subject: 'Twój kod weryfikacyjny',
    expiry: 'Ważność kodu: {duration}.',
    warning: 'Nigdy nikomu go nie podawaj.',
    unwanted: 'Jeśli to nie Ty o niego prosisz, zignoruj tę wiadomość.',
    origin: 'Wysłane przez {brand} w imieniu {sender}.',
    questions: 'Masz pytania? Napisz na adres {address}.',
    misuse: 'Aby zgłosić nadużycie, napisz na adres {address}.',
  },
  call: {
    greeting: 'Dzień dobry.',
    sentence: 'Twój kod weryfikacyjny {brand} to: {code}.',
    again: 'Jeszcze raz: {code}.',
    goodbye: 'Do widzenia.',
  },
};
