import type { SpokenTexts } from './language-texts.ts';

/** Finnish */
export const fi: SpokenTexts = {
  message: {
    plain: 'Vahvistuskoodisi: {code}',
    named: 'Vahvistuskoodisi palveluun {brand}: {code}',
    warning: '. Älä kerro sitä kenellekään',
  },
  mail: {
    subject: 'Vahvistuskoodisi',
    expiry: 'Koodin voimassaoloaika: {duration}.',
    warning: 'Älä koskaan kerro sitä kenellekään.',
    unwanted: 'Jos et pyytänyt sitä, voit jättää tämän viestin huomiotta.',
    origin: 'Lähettäjä: {brand}. Toimeksiantaja: {sender}.',
    questions: 'Kysyttävää? Kirjoita osoitteeseen {address}.',
    misuse: 'Ilmoita väärinkäytöstä osoitteeseen {address}.',
  },
  call: {
    greeting: 'Hei.',
    sentence: 'Vahvistuskoodisi palveluun {brand} on: {code}.',
    again: 'Vielä kerran: {code}.',
    goodbye: 'Kuulemiin.',
  },
};
