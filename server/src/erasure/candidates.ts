import { likeLiteral } from '../platform/db/sql.ts';
import { asciiDigits } from '../platform/digits.ts';
import type { RecipientForms } from '../platform/erasure.ts';

/**
 * The SQL condition for rows that may name the recipient. It returns false positives, but misses no match. The comparisons that
 * most texts fail come first: conversions take a hundred times longer than LIKE.
 */
export function candidatesFor(
  { recipient, digits }: RecipientForms,
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

/** The digits of the number, in ASCII or, rarely, in another script. */
function numberCandidates(national: string): Candidates {
  const { pattern, from, to } = foreignDigits();
  const digitsOf = (text: string) => `regexp_replace(${text}, '%20|[^0-9]', '', 'g')`;
  return {
    condition: (column) =>
      `(${column} like $1 and ${digitsOf(column)} like $2
        or octet_length(${column}) <> char_length(${column}) and ${column} ~ $3
          and ${digitsOf(`translate(normalize(${column}, NFKC), $4, $5)`)} like $2)`,
    params: [inOrder([...national]), `%${national}%`, pattern, from, to],
  };
}

const INVISIBLE =
  '[\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff]';

/** Only the local part, because the rest has many spellings. ASCII texts have one spelling of it. */
function addressCandidates(local: string): Candidates {
  const literal = (text: string): string => likeLiteral(text).replace(/[&']/g, '%');
  return {
    condition: (column) =>
      `case when octet_length(${column}) = char_length(${column}) then lower(${column}) like $1
        else (lower(${column}) like $2 or ${column} is not nfkc normalized)
          and regexp_replace(lower(normalize(${column}, NFKC)), $3, '', 'g') like $1 end`,
    params: [`%${literal(local)}%`, inOrder([...local].map(literal)), INVISIBLE],
  };
}

/** `pattern`: all characters outside ASCII that contain a digit. `from`, `to`: those that NFKC does not convert. */
function foreignDigits(): { pattern: string; from: string; to: string } {
  let [pattern, from, to] = ['', '', ''];
  for (let point = 0x80; point < 0x20000; point += 1) {
    if (point >= 0xd800 && point < 0xe000) continue;
    const character = String.fromCodePoint(point);
    const digits = asciiDigits(character);
    if (!/[0-9]/.test(digits)) continue;
    pattern += character;
    if (character.normalize('NFKC') === character) {
      from += character;
      to += digits;
    }
  }
  return { pattern: `[${pattern}]`, from, to };
}
