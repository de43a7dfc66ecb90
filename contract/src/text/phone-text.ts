import { asciiDigits } from './digits.ts';

/** An unencoded plus sign arrives as a space in a query, and some clients decode that of a path. */
export const withPlusOfUrl = (text: string): string => text.replace(/^ +(?=\d)/, '+');

/** Invisible characters and combining marks that pasting adds. */
const UNSEEN = /[\p{C}\p{M}\p{DI}]/gu;
/** A URI's scheme or a label before the number, such as `tel:` or `Mobile:`. */
const LABEL = /^\p{L}[\p{L} .]*:/u;
/** Parameters of a `tel:` URI (RFC 3966). An extension stays in the text: no code can be sent to one. */
const PARAMETERS = /;(?:isub|phone-context)=[^;]*/gi;

/**
 * A phone number as people and programs write it, in ASCII: digits with separators, after one leading plus if it is international.
 * Understands what Google's libphonenumber understands, such as `(+1) 415…`, `++1…` and `tel:+1…`. Text that it cannot read stays
 * in place, so that it is refused.
 */
export function plainPhone(text: string): string {
  const plain = asciiDigits(text)
    .replace(UNSEEN, '')
    .replace(/[\p{Pd}\u2212\u30fc]/gu, '-')
    .replace(/[\s~[\]]+/gu, ' ')
    .trim();
  const number = plain
    .replace(PARAMETERS, '')
    .replace(LABEL, '')
    // “(+1) 415” and “+(1) 415” have one plus at the start.
    .replace(/^[^\p{L}\p{N}+]*(?:\+[^\p{L}\p{N}]*)+(?:(\d{1,3})\)\s*)?/u, (_, code) =>
      code ? `+${code} ` : '+',
    )
    .replace(/^[^\p{L}\p{N}+(]+|(?<![^\p{L}\p{N}#*])[^\p{L}\p{N}#*]+$/gu, '');
  const context = number.startsWith('+') ? undefined : /context=(\+[\d-]+)/i.exec(plain)?.[1];
  return context ? `${context} ${number}` : number;
}
