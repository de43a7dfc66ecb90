import type { SpokenTexts } from './language-texts.ts';

/** Czech */
export const cs: SpokenTexts = {
  message: {
    plain: 'Váš ověřovací kód: {code}',
    named: 'Váš ověřovací kód pro {brand}: {code}',
    warning: '. Nikomu ho nesdělujte',
  },
  mail: {
    subject: 'Váš ověřovací kód',
    expiry: 'Platnost kódu: {duration}.',
    warning: 'Nikdy ho nikomu nesdělujte.',
    unwanted: 'Pokud jste o něj nežádali, můžete tento e-mail ignorovat.',
    origin: 'Odesláno službou {brand} jménem {sender}.',
    questions: 'Máte dotazy? Napište na {address}.',
    misuse: 'Zneužití můžete nahlásit na adrese {address}.',
  },
  call: {
    greeting: 'Dobrý den.',
    sentence: 'Váš ověřovací kód pro {brand} je: {code}.',
    again: 'Ještě jednou: {code}.',
    goodbye: 'Na shledanou.',
  },
};
