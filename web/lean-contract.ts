import { reasonsOf } from '@sixdigit/contract/openapi/describe.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import type { Plugin } from 'vite';

/** Errors of these calls only appear in their responses, which have the text. */
const OF_PEOPLE = new Set(['auth', 'account', 'operator']);
const [ofPeople = [], others = []] = [true, false].map((is) =>
  routes.filter(({ tag }) => OF_PEOPLE.has(tag) === is).flatMap(reasonsOf),
);
/** The dashboard shows these without a call: the provider sent the browser back without a sign-in. */
const SHOWN = new Set(['sso_denied', 'invalid_sso_login']);
/** The reasons whose texts the dashboard does not have. */
export const UNUSED_REASONS: ReadonlySet<string> = new Set(
  ofPeople.filter((reason) => !others.includes(reason) && !SHOWN.has(reason)),
);

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
  id?: Node;
  init?: Node;
  properties?: Node[];
  key?: Node;
  name?: string;
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
  return parts.filter(({ key }) => key && key.name !== 'body');
}

/** In the module of errors. */
const unusedReasons = (module: { body: readonly unknown[] }): Node[] =>
  (module.body as Node[])
    .flatMap((statement) => (statement.declaration ?? statement).declarations ?? [])
    .filter(({ id }) => id?.name === 'failures')
    .flatMap(({ init }) => init?.properties ?? [])
    .filter(({ key }) => key && UNUSED_REASONS.has(key.name ?? ''));

function edited(code: string, edits: readonly Edit[]): string {
  let text = code;
  for (const edit of edits.toSorted((one, other) => other.start - one.start))
    text = text.slice(0, edit.start) + edit.text + text.slice(edit.end);
  return text;
}

/**
 * Leaves out of the contract what only the server reads: all of a call but its body's schema (contract-values.ts has the rest), the
 * schemas that nothing else uses, and the texts of errors that only calls about people have.
 */
export const leanContract: Plugin = {
  name: 'lean-contract',
  apply: 'build',
  transform: {
    filter: { id: /contract[\\/]src[\\/]([\w-]+[\\/])?[\w-]+\.ts$/ },
    handler(code) {
      const module = this.parse(code);
      const without = ({ start, end }: Node): Edit => {
        const comma = /^\s*,/.exec(code.slice(end))?.[0].length ?? 0;
        return { start, end: end + comma, text: '' };
      };
      const edits = madeConstants(module).flatMap((made): Edit[] => [
        // The annotation lets the bundler drop the constant if nothing uses it.
        { start: made.start, end: made.start, text: '/* @__PURE__ */ (() => ' },
        ...unusedParts(made).map(without),
        { start: made.end, end: made.end, text: ')()' },
      ]);
      edits.push(...unusedReasons(module).map(without));
      return { code: edited(code, edits), map: null };
    },
  },
};
