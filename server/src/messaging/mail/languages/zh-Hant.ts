import type { SpokenTexts } from './language-texts.ts';

/** Traditional Chinese */
export const zhHant: SpokenTexts = {
  message: {
    plain: '您的驗證碼是：{code}',
    named: '您的{brand}驗證碼是：{code}',
    warning: '。請勿將驗證碼告知他人',
  },
  mail: {
    subject: '您的驗證碼',
    expiry: '此驗證碼的有效期限為{duration}。',
    warning: '切勿將驗證碼告知任何人。',
    unwanted: '如果您沒有索取驗證碼，請忽略此郵件。',
    origin: '由 {brand} 代表 {sender} 傳送。',
    questions: '如有疑問，請來信至 {address}',
    misuse: '如需檢舉濫用，請來信至 {address}',
  },
  call: {
    greeting: '您好。',
    sentence: '您的{brand}驗證碼是：{code}。',
    again: '再說一次：{code}。',
    goodbye: '再見。',
  },
};
