import type { Plugin } from 'vite';

/**
 * The parts of a call that the browser uses besides its method and path. Calls with API keys keep all parts, because the documentation
 * shows them.
 */
const USED = new Set(['name', 'auth', 'body', 'stream']);

/** The functions that make a call. */
const CALLS = new Set(['route', 'supportRoute', 'adminRoute', 'accountRoute', 'revealRoute']);

interface Node {
  type: string;
  start: number;
  end: number;
  callee?: Node;
  arguments?: Node[];
  declaration?: Node;
  declarations?: Node[];
  init?: Node;
  properties?: Node[];
  key?: Node;
  name?: string;
  value?: Node | string;
}

/** A change of a module's text. */
interface Edit {
  start: number;
  end: number;
  text: string;
}

/** The constants of a module that a call makes: schemas, and calls of the API. */
const madeConstants = (module: { body: readonly unknown[] }): Node[] =>
  (module.body as Node[])
    .flatMap((statement) => (statement.declaration ?? statement).declarations ?? [])
    .flatMap(({ init }) => (init?.type === 'CallExpression' ? [init] : []));

function unusedParts({ callee, arguments: given = [] }: Node): Node[] {
  const parts = CALLS.has(callee?.name ?? '') ? (given.at(-1)?.properties ?? []) : [];
  const isPublic = parts.some(
    ({ key, value }) => key?.name === 'auth' && (value as Node).value === 'api_key',
  );
  return isPublic ? [] : parts.filter(({ key }) => key && !USED.has(key.name ?? ''));
}

function edited(code: string, edits: readonly Edit[]): string {
  let text = code;
  for (const edit of edits.toSorted((one, other) => other.start - one.start))
    text = text.slice(0, edit.start) + edit.text + text.slice(edit.end);
  return text;
}

/**
 * Leaves out of the contract what only the server and the documentation read: queries, responses, descriptions and errors of calls,
 * and the schemas that nothing else uses.
 */
export const leanContract: Plugin = {
  name: 'lean-contract',
  transform: {
    filter: { id: /contract[\\/]src[\\/]([\w-]+[\\/])?[\w-]+\.ts$/ },
    handler(code) {
      const edits = madeConstants(this.parse(code)).flatMap((made): Edit[] => [
        // The annotation lets the bundler drop the constant if nothing uses it.
        { start: made.start, end: made.start, text: '/* @__PURE__ */ (() => ' },
        ...unusedParts(made).map(({ start, end }) => {
          const comma = /^\s*,/.exec(code.slice(end))?.[0].length ?? 0;
          return { start, end: end + comma, text: '' };
        }),
        { start: made.end, end: made.end, text: ')()' },
      ]);
      return { code: edited(code, edits), map: null };
    },
  },
};
