import type { LanguageTexts } from './language-texts.ts';

/** Estonian */
export const et: LanguageTexts = {
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
};
