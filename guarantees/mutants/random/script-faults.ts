import { parseSync } from 'rolldown/utils';
import { type Edit, shifted } from './fault.ts';
import { sqlFaults } from './sql-faults.ts';

/** A node of the syntax tree (ESTree with TypeScript), read without its many types. */
interface Node {
  type: string;
  start: number;
  end: number;
  // biome-ignore lint/suspicious/noExplicitAny: the fields depend on the type
  [field: string]: any;
}

const FLIPPED: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
};

/** The faults of a TypeScript file, those of the SQL in its template literals included. */
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
      const flipped = FLIPPED[node.operator];
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

/** A guard that leaves is removed; any other condition always holds. */
function ifFaults(node: Node, instead: Instead, text: Text): Edit[] {
  const { test, consequent, alternate } = node;
  const leaves = ['ReturnStatement', 'ThrowStatement', 'ContinueStatement'].includes(consequent.type);
  if (leaves && !alternate) return [instead(node, ';', 'removes a guard')];
  return [instead(test, `true || ${text(test)}`, 'drops a condition')];
}

/** A statement without its `await` is not drawn: `npm run check` refuses a promise that nothing awaits. */
function statementFaults(node: Node, instead: Instead, text: Text): Edit[] {
  const { expression } = node;
  if (node.directive || isLog(text(node))) return [];
  const acts = ['AwaitExpression', 'CallExpression', 'AssignmentExpression', 'UpdateExpression'].includes(
    expression.type,
  );
  return acts && expression.callee?.type !== 'Super' ? [instead(node, ';', 'removes a statement')] : [];
}

/** Log lines are for people; no test should read them all. */
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
