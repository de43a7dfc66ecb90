import type { SpokenTexts } from './language-texts.ts';

/** Simplified Chinese */
export const zh: SpokenTexts = {
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
};
