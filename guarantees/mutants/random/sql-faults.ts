import type { Edit } from './fault.ts';

/** Flipped comparisons and boundaries, in both directions. */
const FLIPPED: readonly [RegExp, string][] = [
  [/ <= /g, ' < '],
  [/ < /g, ' <= '],
  [/ >= /g, ' > '],
  [/ > /g, ' >= '],
  [/ is not null\b/g, ' is null'],
  [/ is null\b/g, ' is not null'],
  [/\bgreatest\(/g, 'least('],
  [/\bleast\(/g, 'greatest('],
];

/** Clauses that end a condition at its own depth. */
const ENDS =
  /^(?:and|or|order by|group by|having|limit|offset|returning|for (?:no key )?update|then|else|when|end|union|on conflict|where|loop|window)\b/;

/**
 * The faults of a piece of SQL. `isWhole` is false for a piece that goes on behind its end, as in a template literal: a condition
 * that reaches its end is not complete and stays.
 */
export function sqlFaults(sql: string, isWhole: boolean): Edit[] {
  const text = withoutComments(sql);
  const edits: Edit[] = [];
  for (const { index } of text.matchAll(/\band\b/g)) {
    if (isBetween(text, index)) continue;
    const end = endOfCondition(text, index + 3, isWhole);
    if (end !== undefined) edits.push({ from: index, to: end, replacement: '', kind: 'drops a condition' });
  }
  for (const { 0: word, index } of text.matchAll(/\b(?:where|on)\s+(?!conflict)/g)) {
    const from = index + word.length;
    const end = endOfCondition(text, from, false);
    if (end === undefined || !/^and\s/.test(text.slice(end))) continue;
    edits.push({ from, to: end + 4, replacement: '', kind: 'drops a condition' });
  }
  for (const [pattern, replacement] of FLIPPED)
    for (const { 0: found, index } of text.matchAll(pattern))
      edits.push({ from: index, to: index + found.length, replacement, kind: 'flips a comparison' });
  edits.push(
    ...removed(text, /\bfor (?:no key )?update(?: of \w+(?:, \w+)*)?(?: skip locked)?/g, 'drops a lock'),
    ...removed(text, /\bskip locked\b/g, 'waits for a lock'),
    ...removed(text, /\bdistinct (?!on\b|from\b)/g, 'drops distinct'),
    ...removed(text, /^ *perform [^;]*;/gm, 'removes a statement'),
  );
  for (const { index } of text.matchAll(/\border by\b/g)) {
    const end = endOfCondition(text, index + 8, isWhole, ';');
    if (end !== undefined) edits.push({ from: index, to: end, replacement: '', kind: 'drops an order' });
  }
  return edits;
}

const removed = (text: string, pattern: RegExp, kind: string): Edit[] =>
  [...text.matchAll(pattern)].map(({ 0: found, index }) => ({
    from: index,
    to: index + found.length,
    replacement: '',
    kind,
  }));

/** Blanks keep every position. */
const withoutComments = (sql: string): string =>
  sql.replace(/--[^\n]*/g, (comment) => ' '.repeat(comment.length));

/** Whether this `and` belongs to a `between`. */
const isBetween = (text: string, and: number): boolean =>
  /\bbetween\s+[^()]*$/.test(text.slice(Math.max(0, and - 60), and));

/** Where the condition that begins here ends, or undefined if the text ends first or a case begins. A list of an order has commas. */
function endOfCondition(text: string, from: number, isWhole: boolean, ends = ';,'): number | undefined {
  let depth = 0;
  let isBetween = false;
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if (char === "'") {
      at = text.indexOf("'", at + 1);
      if (at < 0) return undefined;
    } else if (char === '(') depth += 1;
    else if (char === ')') {
      if (depth === 0) return at;
      depth -= 1;
    } else if (depth === 0 && char !== undefined && ends.includes(char)) return at;
    else if (depth === 0 && /\s/.test(text[at - 1] ?? '') && /[a-z]/.test(char ?? '')) {
      const next = text.slice(at, at + 24);
      if (next.startsWith('case')) return undefined;
      if (next.startsWith('between ')) isBetween = true;
      else if (isBetween && next.startsWith('and ')) isBetween = false;
      else if (ENDS.test(next)) return at;
    }
  }
  return isWhole && depth === 0 ? text.length : undefined;
}
