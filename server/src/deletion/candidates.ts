import { asciiDigits } from '@sixdigit/contract/text/digits.ts';
import type { SpelledForms } from '../platform/db/erasure.ts';
import { likeLiteral } from '../platform/db/sql.ts';

/**
 * The SQL condition for rows that may name the recipient. It returns false positives, but misses no match. Comparisons that need
 * no conversion come first and exclude nearly all texts, because a conversion takes up to a thousand times longer.
 */
export function candidatesFor(
  { recipient, digits }: SpelledForms,
  columns: readonly string[],
): { where: string; params: string[] } {
  const national = digits.at(-1);
  const { condition, params } =
    national === undefined
      ? addressCandidates(recipient.slice(0, recipient.lastIndexOf('@')))
      : numberCandidates(national);
  return { where: `(${columns.map(condition).join(' or ')})`, params };
}

interface Candidates {
  condition: (column: string) => string;
  params: string[];
}

/** Matches these characters in this order, with anything between them. */
const inOrder = (characters: readonly string[]): string => `%${characters.join('%')}%`;

const isAscii = (column: string): string => `octet_length(${column}) = char_length(${column})`;

/** Matches the number's digits, in ASCII or in other scripts. */
function numberCandidates(national: string): Candidates {
  foreignDigits ??= readUnicode();
  const { classes, several, from, to } = foreignDigits;
  const digitsOf = (text: string) => `regexp_replace(${text}, '(?:%20|[^0-9])+', '', 'g')`;
  const foreign = [...national].map((digit) => `[${digit}${classes.get(digit)}]`).join('.*');
  return {
    condition: (column) =>
      `(${column} like $1 and ${digitsOf(column)} like $2
        or not ${isAscii(column)} and ${column} ~ $3
          and ${digitsOf(`translate(normalize(${column}, NFKC), $4, $5)`)} like $2)`,
    params: [inOrder([...national]), `%${national}%`, `${foreign}|[${several}]`, from, to],
  };
}

const INVISIBLE = '[\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff]+';

/** Matches the local part only, because a domain has many spellings. In an ASCII text, the local part has one spelling. */
function addressCandidates(local: string): Candidates {
  const literal = (text: string): string => likeLiteral(text).replace(/[&']/g, '%');
  return {
    condition: (column) =>
      `case when ${isAscii(column)} then lower(${column}) like $1
        else (lower(${column}) like $2 or ${column} is not nfkc normalized)
          and regexp_replace(lower(normalize(${column}, NFKC)), $3, '', 'g') like $1 end`,
    params: [`%${literal(local)}%`, inOrder([...local].map(literal)), INVISIBLE],
  };
}

interface ForeignDigits {
  /** the characters outside ASCII that stand for a digit, by digit */
  classes: ReadonlyMap<string, string>;
  /** the characters that stand for several digits */
  several: string;
  /** digits that NFKC does not convert, and their ASCII digits */
  from: string;
  to: string;
}

let foreignDigits: ForeignDigits | undefined;

/** Cached, because it checks a hundred thousand characters. */
function readUnicode(): ForeignDigits {
  const classes = new Map<string, string>();
  let [several, from, to] = ['', '', ''];
  for (let point = 0x80; point < 0x20000; point += 1) {
    if (point >= 0xd800 && point < 0xe000) continue;
    const character = String.fromCodePoint(point);
    const digits = asciiDigits(character).replace(/[^0-9]/g, '');
    if (digits === '') continue;
    if (digits.length === 1) classes.set(digits, `${classes.get(digits) ?? ''}${character}`);
    else several += character;
    if (digits.length === 1 && character.normalize('NFKC') === character) {
      from += character;
      to += digits;
    }
  }
  return { classes, several, from, to };
}
