import type { LanguageTexts } from './language-texts.ts';

/** Malay */
export const ms: LanguageTexts = {
  message: {
    plain: 'Kod pengesahan anda: {code}',
    named: 'Kod pengesahan {brand} anda: {code}',
    warning: '. Jangan kongsi dengan sesiapa',
  },
  mail: {
    subject: 'Kod pengesahan anda',
    expiry: 'Kod ini sah selama {duration}.',
    warning: 'Jangan sekali-kali kongsi dengan sesiapa.',
    unwanted: 'Jika anda tidak memintanya, abaikan e-mel ini.',
    origin: 'Dihantar oleh {brand} bagi pihak {sender}.',
    questions: 'Ada soalan? Tulis kepada {address}.',
    misuse: 'Untuk melaporkan penyalahgunaan, tulis kepada {address}.',
  },
};
