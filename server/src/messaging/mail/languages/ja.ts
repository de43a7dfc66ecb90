import type { SpokenTexts } from './language-texts.ts';

/** Japanese */
export const ja: SpokenTexts = {
  message: {
    plain: '認証コード：{code}',
    named: '{brand}の認証コード：{code}',
    warning: '。このコードを他の人に教えないでください',
  },
  mail: {
    subject: '認証コード',
    expiry: 'このコードの有効期間は{duration}です。',
    warning: '他の人には絶対に教えないでください。',
    unwanted: 'お心当たりがない場合は、このメールを無視してください。',
    origin: '{sender}に代わって{brand}が送信しました。',
    questions: 'ご不明な点は {address} までお問い合わせください。',
    misuse: '不正利用の報告は {address} までご連絡ください。',
  },
  call: {
    greeting: 'こんにちは。',
    sentence: '{brand}の認証コードをお伝えします。{code}。',
    again: 'もう一度お伝えします。{code}。',
    goodbye: '失礼いたします。',
  },
};
