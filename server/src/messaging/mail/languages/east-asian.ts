import type { Language } from '@sixdigit/contract/languages.ts';
import type { LanguageTexts, SpokenTexts } from './language-texts.ts';

export const EAST_ASIAN = {
  /** Japanese */
  ja: {
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
  },
  /** Korean */
  ko: {
    message: {
      plain: '인증번호: {code}',
      named: '{brand} 인증번호: {code}',
      warning: '. 다른 사람에게 알려주지 마세요',
    },
    mail: {
      subject: '인증번호',
      expiry: '인증번호 유효 시간: {duration}.',
      warning: '다른 사람에게 절대 알려주지 마세요.',
      unwanted: '요청하지 않으셨다면 이 메일을 무시하셔도 됩니다.',
      origin: '{sender}의 요청으로 {brand}에서 보냈습니다.',
      questions: '문의: {address}',
      misuse: '오남용 신고: {address}',
    },
    call: {
      greeting: '안녕하세요.',
      sentence: '{brand} 인증번호를 알려드립니다. {code}.',
      again: '다시 알려드립니다. {code}.',
      goodbye: '감사합니다.',
    },
  },
  /** Simplified Chinese */
  zh: {
    message: {
      plain: '您的验证码是：{code}',
      named: '您的{brand}验证码是：{code}',
      warning: '。请勿将验证码告知他人',
    },
    mail: {
      subject: '您的验证码',
      expiry: '此验证码的有效期为{duration}。',
      warning: '切勿将验证码告知任何人。',
      unwanted: '如果您没有申请验证码，请忽略此邮件。',
      origin: '由 {brand} 代表 {sender} 发送。',
      questions: '如有疑问，请写信至 {address}',
      misuse: '如需举报滥用，请写信至 {address}',
    },
    call: {
      greeting: '您好。',
      sentence: '您的{brand}验证码是：{code}。',
      again: '再说一遍：{code}。',
      goodbye: '再见。',
    },
  },
  /** Traditional Chinese */
  'zh-Hant': {
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
  },
} satisfies Partial<Record<Language, LanguageTexts | SpokenTexts>>;
