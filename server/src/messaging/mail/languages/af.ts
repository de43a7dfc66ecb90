import type { LanguageTexts } from './language-texts.ts';

/** Afrikaans */
export const af: LanguageTexts = {
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
};
