import { parseSync } from 'rolldown/utils';

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

/** Converts an edit of a part of a text into one of the whole text. */
const shifted = (edit: Edit, by: number): Edit => ({
  ...edit,
  from: edit.from + by,
  to: edit.to + by,
});

/** A node of the syntax tree (ESTree with TypeScript), without its many types. */
interface Node {
  type: string;
  start: number;
  end: number;
  // biome-ignore lint/suspicious/noExplicitAny: the fields depend on the type
  [field: string]: any;
}

const FLIPPED_OPERATORS: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
};

/** A TypeScript file's possible faults, including those in the SQL of its template literals. */
export function scriptFaults(file: string, source: string): Edit[] {
  const { program, errors } = parseSync(file, source, {});
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const edits: Edit[] = [];
  visit(program as unknown as Node, (node) => edits.push(...faultsOf(node, source)));
  return edits;
}

function faultsOf(node: Node, source: string): Edit[] {
  const text = (part: Node): string => source.slice(part.start, part.end);
  const instead = (part: Node, replacement: string, kind: string): Edit => ({
    from: part.start,
    to: part.end,
    replacement,
    kind,
  });
  switch (node.type) {
    case 'LogicalExpression':
      if (node.operator === '??') return [];
      return [node.left, node.right].map((kept: Node) =>
        instead(node, `(${text(kept)})`, 'drops a condition'),
      );
    case 'IfStatement':
      return ifFaults(node, instead, text);
    case 'BinaryExpression': {
      const flipped = FLIPPED_OPERATORS[node.operator];
      if (!flipped) return [];
      return [instead(node, `${text(node.left)} ${flipped} ${text(node.right)}`, 'flips a comparison')];
    }
    case 'ExpressionStatement':
      return statementFaults(node, instead, text);
    case 'CallExpression':
      return callFaults(node, instead, text);
    case 'TemplateLiteral':
      return templateFaults(node, source);
    default:
      return [];
  }
}

type Instead = (part: Node, replacement: string, kind: string) => Edit;
type Text = (part: Node) => string;

/** Removes a guard that returns, throws or continues; makes any other condition true. */
function ifFaults(node: Node, instead: Instead, text: Text): Edit[] {
  const { test, consequent, alternate } = node;
  const leaves = ['ReturnStatement', 'ThrowStatement', 'ContinueStatement'].includes(consequent.type);
  if (leaves && !alternate) return [instead(node, ';', 'removes a guard')];
  return [instead(test, `true || ${text(test)}`, 'drops a condition')];
}

/** Never drops an `await`: `npm run check` already refuses a promise that nothing awaits. */
function statementFaults(node: Node, instead: Instead, text: Text): Edit[] {
  const { expression } = node;
  if (node.directive || isLog(text(node))) return [];
  const acts = ['AwaitExpression', 'CallExpression', 'AssignmentExpression', 'UpdateExpression'].includes(
    expression.type,
  );
  return acts && expression.callee?.type !== 'Super' ? [instead(node, ';', 'removes a statement')] : [];
}

/** Log lines are for people. Tests need not check them all. */
const isLog = (statement: string): boolean => /^(?:await )?(?:[\w.]*\blog|console)\.\w+\(/.test(statement);

function callFaults(node: Node, instead: Instead, text: Text): Edit[] {
  const given: Node[] = node.arguments;
  const edits: Edit[] = [];
  const [first] = given;
  if (first && node.callee.type === 'Identifier' && /^mask/.test(text(node.callee)))
    edits.push(instead(node, text(first), 'drops a mask'));
  for (const [at, one] of given.entries()) {
    const next = given[at + 1];
    if (!next || !isPlain(one) || !isPlain(next) || text(one) === text(next)) continue;
    const both = { ...one, end: next.end };
    edits.push(instead(both, `${text(next)}, ${text(one)}`, 'swaps two arguments'));
  }
  return edits;
}

const isPlain = ({ type }: Node): boolean => ['Identifier', 'MemberExpression', 'Literal'].includes(type);

function templateFaults(node: Node, source: string): Edit[] {
  const whole = source.slice(node.start, node.end);
  if (!/\b(?:select|insert into|update|delete from|where|order by)\b/.test(whole)) return [];
  const quasis: Node[] = node.quasis;
  return quasis.flatMap((quasi, at) => {
    const piece: string = quasi.value.raw;
    const start = source.indexOf(piece, quasi.start);
    return sqlFaults(piece, at === quasis.length - 1).map((edit) => shifted(edit, start));
  });
}

function visit(node: Node, each: (node: Node) => void): void {
  each(node);
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (child && typeof child === 'object' && typeof child.type === 'string') visit(child, each);
}

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

/**
 * The end of the condition that begins here; undefined if the text ends first or a `case` begins. `ends` has no comma for `order
 * by` lists.
 */
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
