/**
 * Finds a recipient inside longer texts: digits of any script with separators, national or international, with an extension;
 * e-mail addresses in any case, full-width, percent-encoded, or with invisible characters.
 */

import { domainToUnicode } from 'node:url';
import { asciiDigits } from '@sixdigit/contract/text/digits.ts';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { recipientOf } from '../platform/addresses/recipient.ts';
import { ERASED, type RecipientForms, type SpelledForms } from '../platform/db/erasure.ts';
import { hashesOf } from '../platform/db/removed-recipients.ts';
import type { Needs } from '../platform/platform.ts';
import { recipientHashes } from '../protection/protection.ts';

export interface Spellings {
  /** The text with every spelling of the recipient replaced by `mark`. */
  redact(text: string, mark: string): string;
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

const SEPARATOR = String.raw`(?:%20|&nbsp;|[\s\p{P}\p{S}]){0,4}`;
const QUOTES = String.raw`(?:["'\s]|&quot;|&#39;)*`;
const AT = String.raw`${QUOTES}(?:@|%40|&(?:amp;)?#64;|\\u0040|\(at\)|\[at\])${QUOTES}`;
const EXTENSION = String.raw`(?:[\s;,]*(?:ext|x|#)[.=:\s]*\d{1,7}(?!\d))?`;

export function spellingsOf(forms: SpelledForms): Spellings {
  const pattern = forms.digits.length > 0 ? phonePattern(forms) : emailPattern(forms);
  return {
    redact(text, mark) {
      const { plain, starts } = flatten(text);
      let redacted = '';
      let from = 0;
      for (const { index, 0: found } of plain.matchAll(pattern)) {
        redacted += text.slice(from, starts[index]) + mark;
        from = starts[index + found.length] ?? text.length;
      }
      return redacted + text.slice(from);
    },
  };
}

/** The text with every spelling of the recipient replaced. */
export const redactText = (forms: SpelledForms, text: string, mark = ERASED): string =>
  spellingsOf(forms).redact(text, mark);

/** The national number with separators between its digits, with or without a trunk zero and the country code. */
function phonePattern({ digits: [international = '', national = international] }: SpelledForms): RegExp {
  const spaced = (digits: string): string => [...digits].join(SEPARATOR);
  const country = international.slice(0, international.length - national.length);
  const prefix =
    country === '' ? '' : `(?:(?:(?:\\+|00|011|%2b)${SEPARATOR})?${spaced(country)}${SEPARATOR})?`;
  return new RegExp(`(?<!\\d)${prefix}(?:0${SEPARATOR})?${spaced(national)}(?!\\d)${EXTENSION}`, 'gu');
}

function emailPattern({ recipient }: SpelledForms): RegExp {
  const at = recipient.lastIndexOf('@');
  const domain = recipient.slice(at + 1);
  const domains = [...new Set([domain, domainToUnicode(domain).toLowerCase()])].map(literal).join('|');
  // Mails contain these characters as HTML entities.
  const local = literal(recipient.slice(0, at)).replaceAll('&', '&(?:amp;)?').replaceAll("'", "(?:'|&#39;)");
  return new RegExp(
    `(?:mailto:)?(?<![\\p{L}\\p{N}_+-])${local}${AT}(?:${domains})(?![\\p{L}\\p{N}_-])`,
    'gu',
  );
}

/** Lower case, ASCII digits, no invisible characters. `starts` maps each unit of `plain` to its position in `text`. */
function flatten(text: string): { plain: string; starts: number[] } {
  let plain = '';
  const starts: number[] = [];
  let place = 0;
  for (const character of text) {
    const flat = /\p{Cf}/u.test(character) ? '' : asciiDigits(character).toLowerCase();
    for (let n = 0; n < flat.length; n += 1) starts.push(place);
    plain += flat;
    place += character.length;
  }
  starts.push(text.length);
  return { plain, starts };
}

/** Undefined if the text is neither a phone number nor an e-mail address. */
export function formsOf(
  { config, vault }: Needs<'config' | 'vault'>,
  text: string,
): RecipientForms | undefined {
  const recipient = recipientOf(config, text);
  if (recipient === undefined) return undefined;
  const hashes = { hashes: hashesOf(vault, recipient), known_hashes: recipientHashes({ vault }, recipient) };
  if (recipient.includes('@')) return { recipient, digits: [], ...hashes };
  const national = parsePhoneNumberFromString(recipient)?.nationalNumber;
  return { recipient, digits: [recipient.slice(1), ...(national ? [national] : [])], ...hashes };
}
