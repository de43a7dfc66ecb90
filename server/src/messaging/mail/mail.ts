/** The door of this module: the texts of mails, SMS and calls. It renders; carriers and notices send. */
export type { MailedRule } from './account-notices.ts';
export { escapeMarkup } from './layout.ts';
export type { Letterhead, Mail } from './notice.ts';
export * as noticeTexts from './notice-texts.ts';
export { renderOtpMail } from './otp-mail.ts';
export { verificationTwiml, voiceSentence } from './voice.ts';
