import type { SpokenTexts } from './language-texts.ts';

/** Indonesian */
export const id: SpokenTexts = {
  message: {
    plain: 'Kode verifikasi Anda: {code}',
    named: 'Kode verifikasi {brand} Anda: {code}',
    warning: '. Jangan berikan kepada siapa pun',
  },
  mail: {
    subject: 'Kode verifikasi Anda',
    expiry: 'Kode ini berlaku selama {duration}.',
    warning: 'Jangan pernah membagikannya kepada siapa pun.',
    unwanted: 'Jika Anda tidak memintanya, abaikan email ini.',
    origin: 'Dikirim oleh {brand} atas nama {sender}.',
    questions: 'Ada pertanyaan? Tulis ke {address}.',
    misuse: 'Untuk melaporkan penyalahgunaan, tulis ke {address}.',
  },
  call: {
    greeting: 'Halo.',
    sentence: 'Kode verifikasi {brand} Anda adalah: {code}.',
    again: 'Sekali lagi: {code}.',
    goodbye: 'Sampai jumpa.',
  },
};
