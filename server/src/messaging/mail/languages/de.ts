import type { SpokenTexts } from './language-texts.ts';

/** German */
export const de: SpokenTexts = {
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
};
