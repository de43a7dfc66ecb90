import { parseSync } from 'rolldown/utils';
import { read } from './source.ts';

/** A node of the syntax tree (ESTree with TypeScript), without the specific types. */
interface Node {
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: the fields depend on the type
  [field: string]: any;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
const within = (node: Node): Node[] => Object.values(node).flat().filter(isNode);

/** `test` of `test.each(…)(…)`. */
const calleeOf = ({ type, name, object, callee }: Node): string =>
  type === 'Identifier' ? name : isNode(object) ? calleeOf(object) : isNode(callee) ? calleeOf(callee) : '';
const isTestCall = (node: Node): boolean =>
  node.type === 'CallExpression' && calleeOf(node.callee) === 'test';

/**
 * The names and texts of each test in a file, including those of the declarations in the file that the test uses, directly or
 * indirectly.
 */
export function wordsOfTests(file: string): Set<string>[] {
  const declared = new Map<string, Node[]>();
  const tests: Node[] = [];
  const collect = (node: Node): void => {
    if (isTestCall(node)) return void tests.push(node);
    if (node.type === 'VariableDeclarator' || node.type === 'FunctionDeclaration')
      declared.set(node.id.name, [...(declared.get(node.id.name) ?? []), node]);
    within(node).forEach(collect);
  };
  const add = (words: Set<string>, node: Node): Set<string> => {
    if (node.type === 'Literal') words.add(String(node.value));
    if (node.type === 'Identifier' && !words.has(node.name)) {
      words.add(node.name);
      for (const declaration of declared.get(node.name) ?? []) add(words, declaration);
    }
    for (const inner of within(node)) add(words, inner);
    return words;
  };
  collect(parseSync(file, read(file)).program as unknown as Node);
  return tests.map((test) => add(new Set(), test));
}

/** The title of each test in a file. Values in a template title are replaced with `%s`. */
export function titlesOfTests(file: string): string[] {
  const titles: string[] = [];
  const collect = (node: Node): void => {
    const [title, run] = isTestCall(node) ? node.arguments : [];
    if (run && title?.type === 'Literal') titles.push(title.value);
    if (run && title?.type === 'TemplateLiteral')
      titles.push(title.quasis.map(({ value }: Node) => value.cooked).join('%s'));
    within(node).forEach(collect);
  };
  collect(parseSync(file, read(file)).program as unknown as Node);
  return titles;
}
