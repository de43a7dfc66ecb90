import { BrandingBody } from '@sixdigit/contract/accounts/branding.ts';
import { headerText } from '@sixdigit/contract/field.ts';
import { isEncodedWord } from '@sixdigit/contract/text/visible-text.ts';
import type { CarrierSettings } from '../../platform/config.ts';

/** An address in the strict form that Sixdigit sends to and from: one mailbox, no comments, quotes, lists or routes. */
export interface Mailbox {
  name?: string;
  address: string;
}

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\-\\u00a1-\\u{10ffff}]+";
const label =
  '[A-Za-z0-9\\u00a1-\\u{10ffff}](?:[A-Za-z0-9\\-\\u00a1-\\u{10ffff}]*[A-Za-z0-9\\u00a1-\\u{10ffff}])?';
const addressPattern = new RegExp(`^${atom}(?:\\.${atom})*@${label}(?:\\.${label})*$`, 'u');

export function isAddress(text: string): boolean {
  return (
    text.length <= 254 && addressPattern.test(text) && !/[\u212a\u0130]/.test(text) && !isEncodedWord(text)
  );
}

/** Parses `address` or `Name <address>`. Undefined for anything else, and for names with control or invisible characters. */
export function parseMailbox(text: string): Mailbox | undefined {
  const trimmed = text.trim();
  if (hasControl(trimmed)) return undefined;
  if (isAddress(trimmed)) return { address: trimmed };
  const [, rawName = '', address = ''] = /^([^<>]*?)\s*<([^<>\s]+)>$/.exec(trimmed) ?? [];
  const name = /^"(?:[^"\\]|\\["\\])*"$/.test(rawName)
    ? rawName.slice(1, -1).replace(/\\(.)/g, '$1')
    : rawName;
  if (!isAddress(address) || !headerText(name) || (name === rawName && /["\\,;:]/.test(name)))
    return undefined;
  return name === '' ? { address } : { name, address };
}

/**
 * The sender name of e-mails for accounts that have set none: the name in EMAIL_FROM, or else the product's. The dashboard
 * shows it in a form, so it must be a name that the form accepts.
 */
export function mailSenderName({ brandName, carriers }: SenderSettings): string {
  const { EMAIL_FROM } = carriers.settings;
  const name = EMAIL_FROM && parseMailbox(EMAIL_FROM)?.name;
  return name && BrandingBody.shape.sender_name.safeParse(name).success ? name : brandName;
}

/** The names of a carrier whose sender has none, and of accounts that have set none. */
export interface SenderNames {
  brandName: string;
  defaultName?: string | undefined;
}

/** The sender of a mail: the account's name, or else the carrier's. */
export function senderOf(
  mailbox: Mailbox,
  { sender_name }: { sender_name?: string | undefined },
  { brandName, defaultName }: SenderNames,
): Required<Mailbox> {
  const own = mailbox.name ?? brandName;
  const name = sender_name === defaultName ? own : (sender_name ?? own);
  return { name: undecoded(name), address: mailbox.address };
}

/** Mail programs decode encoded words (RFC 2047). Names and subjects from before these were refused can contain one. */
export const undecoded = (text: string): string =>
  isEncodedWord(text) ? text.replace(/=\?(?!=)/g, '= ?') : text;

/** `"Name" <address>`, or with a name in encoded words (RFC 2047) of at most 75 characters. */
export function mailboxText({ name, address }: Required<Mailbox>, isAscii: boolean): string {
  if (!isAscii || /^[\x20-\x7e]*$/.test(name)) return `"${name.replace(/["\\]/g, '\\$&')}" <${address}>`;
  const words = (name.match(/.{1,10}/gsu) ?? []).map(
    (part) => `=?UTF-8?B?${Buffer.from(part).toString('base64')}?=`,
  );
  return `${words.join(' ')} <${address}>`;
}

interface SenderSettings {
  brandName: string;
  carriers: Pick<CarrierSettings, 'settings'>;
}

/** True for text with control characters (CR, LF, NUL and others), which would allow header injection. */
export function hasControl(text: string): boolean {
  return /[\p{Cc}\u2028\u2029]/u.test(text);
}
