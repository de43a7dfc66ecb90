/** A fault at one place in a file: replaces the text between two positions. */
export interface Fault {
  file: string;
  from: number;
  to: number;
  replacement: string;
  /** such as `drops a condition` */
  kind: string;
}

export type Edit = Omit<Fault, 'file'>;

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
 * The possible faults of a piece of SQL. `isWhole` is false if the SQL continues after the piece, as in a template literal: then
 * a condition that reaches the end is incomplete and stays.
 */
export function sqlFaults(sql: string, isWhole: boolean): Edit[] {
  const text = withoutComments(sql);
  const edits: Edit[] = [...assignmentFaults(text, isWhole), ...sourceFaults(text)];
  // PostgreSQL refuses a statement with an unused parameter, so a dropped condition stays in the text.
  const dropped = (from: number, to: number): Edit => ({
    from,
    to,
    replacement: `(${text.slice(from, to).trim()} or true) `,
    kind: 'drops a condition',
  });
  for (const { 0: word, index } of text.matchAll(/\band\s+/g)) {
    if (isBetween(text, index)) continue;
    const end = endOfCondition(text, index + word.length, isWhole);
    if (end !== undefined) edits.push(dropped(index + word.length, end));
  }
  for (const { 0: word, index } of text.matchAll(/\b(?:where|on)\s+(?!conflict)/g)) {
    const from = index + word.length;
    const end = endOfCondition(text, from, false);
    if (end !== undefined && /^and\s/.test(text.slice(end))) edits.push(dropped(from, end));
  }
  for (const [pattern, replacement] of FLIPPED)
    for (const { 0: found, index } of text.matchAll(pattern))
      edits.push({ from: index, to: index + found.length, replacement, kind: 'flips a comparison' });
  edits.push(
    ...removed(text, /\bfor (?:no key )?update(?: of \w+(?:, \w+)*)?(?: skip locked)?/g, 'drops a lock'),
    ...removed(text, /\bskip locked\b/g, 'waits for a lock'),
    ...removed(text, /\bdistinct (?!on\b|from\b)/g, 'drops distinct'),
    ...removed(text, /^ *perform [^;]*;/gm, 'removes a statement'),
    ...removed(text, /\bfilter \(where [^()]*(?:\([^()]*\)[^()]*)*\)/g, 'drops a condition'),
    ...removed(text, / [+-] 1\b(?!\.)/g, 'moves a border'),
  );
  for (const { index } of text.matchAll(/\border by\b/g)) {
    const end = endOfCondition(text, index + 8, isWhole, ';');
    if (end !== undefined) edits.push({ from: index, to: end, replacement: '', kind: 'drops an order' });
  }
  return edits;
}

/** Drops each column that an update or an upsert changes, unless it changes no other. */
function assignmentFaults(text: string, isWhole: boolean): Edit[] {
  return [...text.matchAll(/\b(?:update|update [\w ]+) set\s+/g)].flatMap(({ 0: word, index }) => {
    const starts: number[] = [];
    for (let from = index + word.length; ; from = (starts.at(-1) ?? 0) + 1) {
      if (!/^\s*"?\w+"? = /.test(text.slice(from))) break;
      starts.push(from);
      const end = endOfCondition(text, from, isWhole, ',;', true);
      if (end === undefined) return [];
      starts.push(end);
      if (text[end] !== ',') break;
    }
    const columns = starts.flatMap((from, at) =>
      at % 2 === 0 ? [{ from, to: starts[at + 1] ?? from }] : [],
    );
    if (columns.length < 2) return [];
    return columns.map(({ from, to }, at) => ({
      // With the comma after it, or before the last one.
      ...(at < columns.length - 1 ? { from, to: to + 1 } : { from: columns[at - 1]?.to ?? from, to }),
      replacement: ' ',
      kind: 'forgets a column',
    }));
  });
}

/** Exchanges two plain alternatives. */
const sourceFaults = (text: string): Edit[] =>
  [...text.matchAll(/\bcoalesce\(([\w.]+), ([a-z][\w.]*)\)/g)].map(
    ({ 0: found, 1: one, 2: other, index }) => ({
      from: index,
      to: index + found.length,
      replacement: `coalesce(${other}, ${one})`,
      kind: 'swaps two sources',
    }),
  );

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

/**
 * The end of the condition that begins here; undefined if the text ends first or a `case` begins. `ends` has no comma for `order
 * by` lists.
 */
function endOfCondition(
  text: string,
  from: number,
  isWhole: boolean,
  ends = ';,',
  ofUpdate = false,
): number | undefined {
  let depth = 0;
  let cases = 0;
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
      if (next.startsWith('case') && !ofUpdate) return undefined;
      if (ofUpdate && cases === 0 && /^from\b/.test(next) && !/distinct\s+$/.test(text.slice(from, at)))
        return at;
      if (/^case\b/.test(next)) cases += 1;
      if (cases > 0) {
        if (/^end\b/.test(next)) cases -= 1;
        continue;
      }
      if (next.startsWith('between ')) isBetween = true;
      else if (isBetween && next.startsWith('and ')) isBetween = false;
      else if (ENDS.test(next)) return at;
    }
  }
  return isWhole && depth === 0 ? text.length : undefined;
}

/** A Python file's possible faults, found by line. */
export function pythonFaults(source: string): Edit[] {
  const text = source
    .replace(/"""[\s\S]*?"""/g, (doc) => doc.replace(/[^\n]/g, ' '))
    .replace(/#[^\n]*/g, (comment) => ' '.repeat(comment.length));
  const edits: Edit[] = [...text.matchAll(/^( *(?:el)?if )(.+): *$/gm)].map(
    ({ 1: before = '', 2: test = '', index }) => {
      const from = index + before.length;
      return { from, to: from + test.length, replacement: 'False', kind: 'removes a guard' };
    },
  );
  for (const [pattern, replacement] of PYTHON_FLIPPED)
    for (const { 0: found, index } of text.matchAll(pattern))
      edits.push({ from: index, to: index + found.length, replacement, kind: 'flips a comparison' });
  return edits;
}

const PYTHON_FLIPPED: readonly [RegExp, string][] = [
  ...FLIPPED.slice(0, 4),
  [/ == /g, ' != '],
  [/ != /g, ' == '],
  [/ is not None\b/g, ' is None'],
  [/ is None\b/g, ' is not None'],
  [/ not in /g, ' in '],
];
