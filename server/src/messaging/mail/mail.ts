/** The door of this module, which renders the texts of e-mails, SMS and calls. Carriers and notices send them. */
export type { MailedRule } from './account-notices.ts';
export { callScript, codeSubject, codeText } from './code-texts.ts';
export { escapeMarkup } from './layout.ts';
export type { Letterhead, Mail } from './notice.ts';
export * as noticeTexts from './notice-texts.ts';
export { renderOtpMail } from './otp-mail.ts';
