import type { SpokenTexts } from './language-texts.ts';

/** Norwegian Bokmål */
export const nb: SpokenTexts = {
  message: {
    plain: 'Bekreftelseskoden din er: {code}',
    named: 'Bekreftelseskoden din for {brand} er: {code}',
    warning: '. Ikke del den med noen',
  },
  mail: {
    subject: 'Bekreftelseskoden din',
    expiry: 'Koden utløper om {duration}.',
    warning: 'Del den aldri med noen.',
    unwanted: 'Hvis du ikke har bedt om den, kan du se bort fra denne e-posten.',
    origin: 'Sendt av {brand} på vegne av {sender}.',
    questions: 'Spørsmål? Skriv til {address}.',
    misuse: 'Skriv til {address} for å melde misbruk.',
  },
  call: {
    greeting: 'Hei.',
    sentence: 'Bekreftelseskoden din for {brand} er: {code}.',
    again: 'En gang til: {code}.',
    goodbye: 'Ha det bra.',
  },
};
