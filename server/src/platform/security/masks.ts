import { asciiDigits } from '@sixdigit/contract/text/digits.ts';

/** `+1415555••71`, `a••@example.com`: enough to recognize a recipient that the customer names, too little to contact it. */
export function maskedRecipient(recipient: string): string {
  // `[erased]` or `[removed]`
  if (recipient.startsWith('[')) return recipient;
  const at = recipient.lastIndexOf('@');
  if (at >= 0) return `${recipient.slice(0, 1)}••${recipient.slice(at)}`;
  return recipient.length < 8 ? '••' : `${recipient.slice(0, 5)}••••${recipient.slice(-2)}`;
}

/** A phone number or an e-mail address within a text. The lengths are limited, so that every text is searched in linear time. */
const NUMBER = String.raw`\+\d[\d\s().-]{6,30}\d`;
const ADDRESS = String.raw`[^\s@"'<>(),;:][^\s@"<>(),;:]{0,63}@[^\s@"'<>(),;:]{1,253}\.[^\s@"'<>(),;:]{1,63}`;
const RECIPIENT = new RegExp(`${NUMBER}|${ADDRESS}`, 'g');

const maskedFound = (found: string): string =>
  maskedRecipient(found.includes('@') ? found : `+${found.replace(/\D/g, '')}`);

/** The text with its phone numbers and e-mail addresses masked. */
export const maskedText = (text: string): string => text.replace(RECIPIENT, maskedFound);

/** Applies `maskedText` to every text in a JSON value. */
export function maskedValues<T>(value: T): T {
  if (typeof value === 'string') return maskedText(value) as T;
  if (Array.isArray(value)) return value.map(maskedValues) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, maskedValues(one)])) as T;
}

/** Ids, times and network addresses, which look like numbers. */
const KEPT = String.raw`\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?:19|20)\d\d-[01]\d-[0-3]\d(?:[T ][0-2]\d:\d\d(?::\d\d(?:\.\d+)?)?)?(?!\d)|(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])`;
const PLAIN_NUMBER = String.raw`(?<![\w+•])\d[\d\s().-]{6,30}\d(?!\w)|\d{9,30}`;
/** In a URL. */
const ENCODED = String.raw`%2B\d{8,30}|[\w.!#$&'*+/=?^{|}~-]{1,64}%40[\w.-]{1,253}\.\w{1,63}`;
const ANY_NUMBER = new RegExp(`${ADDRESS}|${ENCODED}|(${KEPT})|${NUMBER}|${PLAIN_NUMBER}`, 'gi');

/** Digits of any script, and the full-width and small forms of a plus sign and an @. */
const OTHER_FORMS = /[\p{Nd}\uFE62\uFE6B\uFF0B\uFF20]/gu;

/**
 * Like `maskedText`, but also masks numbers without a plus sign, in digits of any script, and numbers and addresses in URLs.
 */
export function maskedNumbers(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return maskedAscii(text);
  const plain = text
    .replace(OTHER_FORMS, (character) => asciiDigits(character))
    .replace(/\p{Pd}/gu, '-')
    .replace(/\p{Cf}/gu, '');
  const masked = maskedAscii(plain);
  return masked === plain ? text : masked;
}

const maskedAscii = (text: string): string =>
  text.replace(ANY_NUMBER, (found: string, kept: string | undefined) => {
    if (kept !== undefined) return kept;
    if (found.includes('@')) return maskedRecipient(found);
    if (/%40/.test(found)) return maskedRecipient(found.replace('%40', '@')).replace('@', '%40');
    const digits = found.replace(/^%2B|\D/gi, '');
    if (/^[+%]/.test(found)) return maskedRecipient(`+${digits}`);
    // Without its country code it would begin with other digits, so two spellings together would reveal more than one.
    return `••••${digits.slice(-2)}`;
  });

/** What `maskedNumbers` masks in ASCII, as a pattern of PostgreSQL. It may match more. */
export const MAY_BE_MASKED = String.raw`[0-9][0-9\s().-]{6,}[0-9]|@|%40`;
