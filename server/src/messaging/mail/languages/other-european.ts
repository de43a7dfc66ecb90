import type { Language } from '@sixdigit/contract/languages.ts';
import type { LanguageTexts, SpokenTexts } from './language-texts.ts';

export const OTHER_EUROPEAN = {
  /** Greek */
  el: {
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
  },
  /** Estonian */
  et: {
    message: {
      plain: 'Teie kinnituskood on: {code}',
      named: 'Teie {brand} kinnituskood on: {code}',
      warning: '. Ärge jagage seda kellegagi',
    },
    mail: {
      subject: 'Teie kinnituskood',
      expiry: 'Koodi kehtivusaeg: {duration}.',
      warning: 'Ärge jagage seda kunagi kellegagi.',
      unwanted: 'Kui te seda ei küsinud, võite seda kirja eirata.',
      origin: 'Saatis {brand} ettevõtte {sender} nimel.',
      questions: 'Küsimused? Kirjutage aadressil {address}.',
      misuse: 'Väärkasutusest teatamiseks kirjutage aadressil {address}.',
    },
  },
  /** Finnish */
  fi: {
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
  },
  /** Hungarian */
  hu: {
    message: {
      plain: 'Az Ön ellenőrző kódja: {code}',
      named: '{brand} ellenőrző kód: {code}',
      warning: '. Ne adja meg senkinek',
    },
    mail: {
      subject: 'Az Ön ellenőrző kódja',
      expiry: 'A kód érvényessége: {duration}.',
      warning: 'Soha ne adja meg senkinek.',
      unwanted: 'Ha nem Ön kérte, figyelmen kívül hagyhatja ezt az e-mailt.',
      origin: 'Küldte: {brand}, {sender} megbízásából.',
      questions: 'Kérdése van? Írjon ide: {address}.',
      misuse: 'Visszaélés bejelentése: {address}.',
    },
  },
} satisfies Partial<Record<Language, LanguageTexts | SpokenTexts>>;
