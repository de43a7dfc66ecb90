import type { SpokenTexts } from './language-texts.ts';

/** Turkish */
export const tr: SpokenTexts = {
  message: {
    plain: 'Doğrulama kodunuz: {code}',
    named: '{brand} doğrulama kodunuz: {code}',
    warning: '. Bu kodu kimseyle paylaşmayın',
  },
  mail: {
    subject: 'Doğrulama kodunuz',
    expiry: 'Kodun geçerlilik süresi: {duration}.',
    warning: 'Kodu hiçbir zaman kimseyle paylaşmayın.',
    unwanted: 'Bu kodu siz istemediyseniz bu e-postayı yok sayabilirsiniz.',
    origin: '{sender} adına {brand} tarafından gönderildi.',
    questions: 'Sorularınız mı var? {address} adresine yazın.',
    misuse: 'Kötüye kullanımı bildirmek için {address} adresine yazın.',
  },
  call: {
    greeting: 'Merhaba.',
    sentence: '{brand} doğrulama kodunuz: {code}.',
    again: 'Tekrar ediyorum: {code}.',
    goodbye: 'Hoşça kalın.',
  },
};
