import type { Config } from '../../platform/config.ts';
import { type Letterhead, type Mail, noticeTexts } from '../mail/mail.ts';

type Texts = typeof noticeTexts;
type Kind = keyof Texts;
type Facts<K extends Kind> = Omit<Parameters<Texts[K]>[0], keyof Letterhead | 'code'>;

/** The content of a notice: its kind and the facts that its text needs. */
export type NoticeContents = { [K in Kind]: { kind: K } & Facts<K> }[Kind];

/** The mail, with the service's letterhead. */
export function composeMail(
  { brandName, supportEmail }: Pick<Config, 'brandName' | 'supportEmail'>,
  { kind, ...facts }: NoticeContents,
  code: string | undefined,
): Mail {
  const text = noticeTexts[kind] as (notice: object) => Mail;
  return text({ ...facts, brand: brandName, supportEmail, code });
}

/** The same as an SMS: the code, or else the headline. */
export function composeSms(
  { brandName }: Pick<Config, 'brandName'>,
  mail: Mail,
  code: string | undefined,
): string {
  if (code === undefined) return `${brandName}: ${mail.subject}`;
  return `Your ${brandName} verification code is: ${code}. Never share it with anyone.`;
}
