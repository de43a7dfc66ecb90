import type { Language } from '@sixdigit/contract/languages.ts';
import type { LanguageTexts, SpokenTexts } from './language-texts.ts';

export const GERMANIC = {
  /** Afrikaans */
  af: {
    message: {
      plain: 'Jou verifikasiekode is: {code}',
      named: 'Jou {brand}-verifikasiekode is: {code}',
      warning: '. Moet dit met niemand deel nie',
    },
    mail: {
      subject: 'Jou verifikasiekode',
      expiry: 'Hierdie kode verval oor {duration}.',
      warning: 'Moet dit nooit met iemand deel nie.',
      unwanted: 'As jy dit nie aangevra het nie, kan jy hierdie e-pos ignoreer.',
      origin: 'Gestuur deur {brand} namens {sender}.',
      questions: 'Vrae? Skryf aan {address}.',
      misuse: 'Skryf aan {address} om misbruik aan te meld.',
    },
  },
  /** Danish */
  da: {
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
  },
  /** German */
  de: {
    message: {
      plain: 'Ihr Bestätigungscode lautet: {code}',
      named: 'Ihr Bestätigungscode für {brand} lautet: {code}',
      warning: '. Geben Sie ihn an niemanden weiter',
    },
    mail: {
      subject: 'Ihr Bestätigungscode',
      expiry: 'Dieser Code läuft in {duration} ab.',
      warning: 'Geben Sie ihn an niemanden weiter.',
      unwanted: 'Wenn Sie ihn nicht angefordert haben, können Sie diese E-Mail ignorieren.',
      origin: 'Gesendet von {brand} im Auftrag von {sender}.',
      questions: 'Fragen? Schreiben Sie an {address}.',
      misuse: 'Missbrauch melden Sie bitte an {address}.',
    },
    call: {
      greeting: 'Guten Tag.',
      sentence: 'Ihr Bestätigungscode für {brand} lautet: {code}.',
      again: 'Noch einmal: {code}.',
      goodbye: 'Auf Wiederhören.',
    },
  },
  /** English */
  en: {
    message: {
      plain: 'Your verification code is: {code}',
      named: 'Your {brand} verification code is: {code}',
      warning: ". Don't share this code with anyone; our employees will never ask for the code",
    },
    mail: {
      subject: 'Your Verification Code',
      expiry: 'This code expires in {duration}.',
      warning: 'Never share it with anyone.',
      unwanted: 'If you did not ask for it, you can ignore this email.',
      origin: 'Sent by {brand} on behalf of {sender}.',
      questions: 'Questions? Write to {address}.',
      misuse: 'To report misuse, write to {address}.',
    },
    call: {
      greeting: 'Hello.',
      sentence: 'Your {brand} verification code is: {code}.',
      again: 'Once more: {code}.',
      goodbye: 'Goodbye.',
    },
  },
  /** Norwegian Bokmål */
  nb: {
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
  },
  /** Dutch */
  nl: {
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
  },
  /** Swedish */
  sv: {
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
  },
} satisfies Partial<Record<Language, LanguageTexts | SpokenTexts>>;
