import { isEncodedWord } from '../text/visible-text.ts';

const ATOM = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Letters whose lower case is, or begins with, an ASCII letter: the Kelvin sign and the dotted capital I. */
const LOWER_CASES_INTO_ASCII = /[\u212a\u0130]/;
const LAST_LABEL = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;

/**
 * The canonical spelling of an e-mail address for limits, searches and sending: lower case, with an internationalised domain in
 * punycode. Undefined if invalid: the local part must be an ASCII dot-atom (RFC 5321, 4.1.2) of at most 64 characters; quoted
 * local parts, encoded words, address literals, hosts without a dot and letters that only lower-case into ASCII are refused.
 */
export function canonicalEmail(text: string): string | undefined {
  if (LOWER_CASES_INTO_ASCII.test(text) || isEncodedWord(text)) return undefined;
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0)).toLowerCase();
  if (local.length > 64 || !local.split('.').every((atom) => ATOM.test(atom))) return undefined;
  const domain = asciiDomain(text.slice(at + 1));
  if (domain === undefined) return undefined;
  const address = `${local}@${domain}`;
  return address.length <= 254 ? address : undefined;
}

function asciiDomain(text: string): string | undefined {
  // The URL parser maps letters as UTS #46 does. It must not receive characters with a meaning in URLs.
  if (text.length > 253 || !/^[\p{L}\p{M}\p{N}.\u3002-]+$/u.test(text)) return undefined;
  const domain = hostOf(`http://${text}/`);
  const labels = domain?.split('.') ?? [];
  const isDomain =
    labels.length > 1 && labels.every((label) => LABEL.test(label)) && LAST_LABEL.test(labels.at(-1) ?? '');
  return isDomain ? domain : undefined;
}

function hostOf(url: string): string | undefined {
  try {
    return new URL(url).hostname;
  } catch {
    return undefined;
  }
}
