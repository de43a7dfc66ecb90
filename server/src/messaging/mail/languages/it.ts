import type { SpokenTexts } from './language-texts.ts';

/** Italian */
export const it: SpokenTexts = {
  message: {
    plain: 'Il tuo codice di verifica è: {code}',
    named: 'Il tuo codice di verifica {brand} è: {code}',
    warning: '. Non comunicarlo a nessuno',
  },
  mail: {
    subject: 'Il tuo codice di verifica',
    expiry: 'Questo codice scade tra {duration}.',
    warning: 'Non comunicarlo mai a nessuno.',
    unwanted: 'Se non lo hai richiesto, puoi ignorare questa email.',
    origin: 'Inviato da {brand} per conto di {sender}.',
    questions: 'Domande? Scrivi a {address}.',
    misuse: 'Per segnalare un abuso, scrivi a {address}.',
  },
  call: {
    greeting: 'Buongiorno.',
    sentence: 'Il tuo codice di verifica {brand} è: {code}.',
    again: 'Ripeto: {code}.',
    goodbye: 'Arrivederci.',
  },
};
