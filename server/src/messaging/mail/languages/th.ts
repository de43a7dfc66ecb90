import type { LanguageTexts } from './language-texts.ts';

/** Thai */
export const th: LanguageTexts = {
  message: {
    plain: 'รหัสยืนยันของคุณคือ: {code}',
    named: 'รหัสยืนยัน {brand} ของคุณคือ: {code}',
    warning: ' โปรดอย่าบอกรหัสนี้กับใคร',
  },
  mail: {
    subject: 'รหัสยืนยันของคุณ',
    expiry: 'รหัสนี้จะหมดอายุใน {duration}',
    warning: 'อย่าบอกรหัสนี้กับใครเด็ดขาด',
    unwanted: 'หากคุณไม่ได้ขอรหัสนี้ โปรดเพิกเฉยต่ออีเมลนี้',
    origin: 'ส่งโดย {brand} ในนามของ {sender}',
    questions: 'มีคำถามใช่ไหม เขียนถึง {address}',
    misuse: 'แจ้งการใช้งานในทางที่ผิดได้ที่ {address}',
  },
};
