import type { LanguageTexts } from './language-texts.ts';

/** Greek */
export const el: LanguageTexts = {
  message: {
    plain: 'Ο κωδικός επαλήθευσής σας: {code}',
    named: 'Ο κωδικός σας για {brand}: {code}',
    warning: '. Μην τον κοινοποιήσετε σε κανέναν',
  },
  mail: {
    subject: 'Ο κωδικός επαλήθευσής σας',
    expiry: 'Ο κωδικός λήγει σε {duration}.',
    warning: 'Μην τον κοινοποιήσετε ποτέ σε κανέναν.',
    unwanted: 'Αν δεν τον ζητήσατε, μπορείτε να αγνοήσετε αυτό το email.',
    origin: 'Εστάλη από {brand} εκ μέρους: {sender}.',
    questions: 'Ερωτήσεις; Γράψτε στο {address}.',
    misuse: 'Για να αναφέρετε κατάχρηση, γράψτε στο {address}.',
  },
};
