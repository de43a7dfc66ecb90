import { parseSync } from 'rolldown/utils';
import { type Edit, sqlFaults } from './sql-faults.ts';

export type { Edit, Fault } from './sql-faults.ts';

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

/** Operators, functions and methods that a slip could confuse. */
const FLIPPED_OPERATORS: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
};
const FLIPPED_NAMES: Record<string, string> = { min: 'max', max: 'min', some: 'every', every: 'some' };
const ORDERS: ReadonlySet<string> = new Set(['sort', 'toSorted', 'toReversed']);

/** A TypeScript file's possible faults, including those in the SQL of its template literals. */
export function scriptFaults(file: string, source: string): Edit[] {
  const { program, errors } = parseSync(file, source, {});
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const edits: Edit[] = [];
  const calls: Node[] = [];
  visit(program as unknown as Node, (node) => {
    edits.push(...faultsOf(node, source));
    if (node.type === 'CallExpression') calls.push(node);
  });
  return [...edits, ...purposeFaults(calls, source)];
}

/** A fixed value as an argument, such as the purpose of a proof or a limit: a text, a list of texts, or a constant. */
const isFixed = ({ type, value, name, elements = [] }: Node): boolean =>
  (type === 'Literal' && typeof value === 'string') ||
  (type === 'ArrayExpression' && elements.length > 0 && elements.every(isFixed)) ||
  (type === 'Identifier' && /^[A-Z][A-Z_]+$/.test(name));

/** Replaces a fixed argument by the one of the file's next call of the same function. */
function purposeFaults(calls: readonly Node[], source: string): Edit[] {
  const text = ({ start, end }: Node): string => source.slice(start, end);
  const places = new Map<string, Node[]>();
  for (const { callee, arguments: given } of calls)
    for (const [at, one] of (given as Node[]).entries()) {
      if (!isFixed(one)) continue;
      const place = `${text(callee)} ${at}`;
      places.set(place, [...(places.get(place) ?? []), one]);
    }
  return [...places.values()].flatMap((found) =>
    found.flatMap((one, at) => {
      const other = [...found.slice(at + 1), ...found].find((next) => text(next) !== text(one));
      return other
        ? [{ from: one.start, to: one.end, replacement: text(other), kind: 'confuses a purpose' }]
        : [];
    }),
  );
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
      if (node.operator === '??')
        return isPlain(node.left) && isPlain(node.right)
          ? [instead(node, `${text(node.right)} ?? ${text(node.left)}`, 'swaps two sources')]
          : [];
      return [node.left, node.right].map((kept: Node) =>
        instead(node, `(${text(kept)})`, 'drops a condition'),
      );
    case 'ConditionalExpression':
      return [node.consequent, node.alternate].map((kept: Node) =>
        instead(node, `(${text(kept)})`, 'takes one source for both'),
      );
    case 'SpreadElement': {
      const { argument } = node;
      const { type } = argument.type === 'ParenthesizedExpression' ? argument.expression : argument;
      const comma = /^\s*,/.exec(source.slice(node.end))?.[0].length ?? 0;
      return ['ConditionalExpression', 'LogicalExpression'].includes(type)
        ? [{ ...instead(node, '', 'forgets a part'), to: node.end + comma }]
        : [];
    }
    case 'IfStatement':
      return ifFaults(node, instead, text);
    case 'BinaryExpression': {
      if (/^[+-]$/.test(node.operator) && text(node.right) === '1')
        return [instead(node, `(${text(node.left)})`, 'moves a border')];
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

/** Removes an `if` without an `else`; makes a condition true, unless it guards a jump. */
function ifFaults(node: Node, instead: Instead, text: Text): Edit[] {
  const { test, consequent, alternate } = node;
  const jumps = /^(?:Return|Throw|Continue|Break)/.test(consequent.type);
  return [
    ...(alternate ? [] : [instead(node, ';', 'removes a guard')]),
    ...(jumps && !alternate ? [] : [instead(test, `true || ${text(test)}`, 'drops a condition')]),
  ];
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
  const { object, property } = node.callee;
  const method = node.callee.type === 'MemberExpression' && !node.callee.computed ? text(property) : '';
  const flipped = Object.hasOwn(FLIPPED_NAMES, method) ? FLIPPED_NAMES[method] : undefined;
  if (flipped) edits.push(instead(property, flipped, 'flips a comparison'));
  if (ORDERS.has(method)) edits.push(instead(node, text(object), 'drops an order'));
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
