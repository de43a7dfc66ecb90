import { CODE_PLACEHOLDER } from '@sixdigit/contract/connections.ts';
import { Failure } from '../platform/http/failure.ts';

/** Takes linear time for any text. */
const WORDS = /(?<![\p{L}\p{N}])[0-9A-Z]{4,10}(?![\p{L}\p{N}])/gu;
const USUAL_LENGTH = 6;

/**
 * The code in a text that a system has written, and the text with the placeholder in its place: what the pattern of the connection
 * tells, or else the only run of 4 to 10 digits, or the only one of six digits. Throws `code_missing`.
 */
export function codeIn(text: string | undefined, pattern: string | null): { code: string; message: string } {
  if (text === undefined) throw new Failure('code_missing');
  const code = (pattern === null ? undefined : codeAt(text, pattern)) ?? likelyCode(text);
  if (code === undefined) throw new Failure('code_missing');
  return { code, message: text.replace(WORDS, (word) => (word === code ? CODE_PLACEHOLDER : word)) };
}

const only = (found: readonly string[]): string | undefined => {
  const distinct = [...new Set(found)];
  return distinct.length === 1 ? distinct[0] : undefined;
};

function likelyCode(text: string): string | undefined {
  const runs = [...text.matchAll(WORDS)].map(([word]) => word).filter((word) => /^\d+$/.test(word));
  return only(runs) ?? only(runs.filter(({ length }) => length === USUAL_LENGTH));
}

/** Line breaks and other blanks count as one space. */
const oneSpaced = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** A pattern is compared as it is written, because the time of a regular expression has no limit. */
function codeAt(text: string, pattern: string): string | undefined {
  const [before = '', after = ''] = oneSpaced(pattern).split(CODE_PLACEHOLDER);
  const plain = oneSpaced(text);
  const found = [...plain.matchAll(WORDS)].filter(
    ({ 0: word, index }) =>
      index >= before.length &&
      plain.startsWith(before, index - before.length) &&
      plain.startsWith(after, index + word.length),
  );
  return only(found.map(([word]) => word));
}
