import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fieldsOf } from '@sixdigit/contract/docs/reference.ts';
import { isRoute, type Route } from '@sixdigit/contract/route.ts';
import type { Plugin } from 'vite';

const CONTRACT = join(import.meta.dirname, '../contract/src');
const VALUES = 'contract-values:';
const load = createRequire(import.meta.url);

/** What the browser reads of a call, apart from its schemas: method, path and authentication; the documentation reads all. */
function callOf({ query: _, body, reply, ...call }: Route): Partial<Record<keyof Route, unknown>> {
  const { method, path, name, auth, stream } = call;
  if (auth !== 'api_key') return { method, path, name, auth, stream };
  return {
    ...call,
    ...(body && { body: fieldsOf({ ...call, body }, 'body') }),
    ...(reply && { reply: fieldsOf({ ...call, reply }, 'reply') }),
  };
}

/** Whether a value is the same after it was written as JSON. */
const isData = (value: unknown): boolean =>
  value === null || typeof value !== 'object'
    ? ['string', 'number', 'boolean', 'object'].includes(typeof value)
    : [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(value)) &&
      Object.values(value).every(isData);

/** The calls and constants that a module exports, as JavaScript by name. */
function valuesOf(file: string): Map<string, string> {
  const exported: Record<string, unknown> = load(join(CONTRACT, file));
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(exported)) {
    if (isRoute(value)) values.set(name, JSON.stringify(callOf(value)));
    else if (isData(value)) values.set(name, JSON.stringify(value));
  }
  return values;
}

/** A module's path below the contract's folder, if it has schemas or calls. */
function fileWithCalls(source: string, importer: string): string | undefined {
  const file =
    /^@sixdigit\/contract\/(.+)/.exec(source)?.[1] ?? join(importer, '..', source).split('/contract/src/')[1];
  if (!file?.endsWith('.ts')) return undefined;
  const text = readFileSync(join(CONTRACT, file), 'utf8');
  return /^import \{ (?:z|route) \} from/m.test(text) ? file : undefined;
}

interface Specifier {
  imported: { name: string };
  local: { name: string };
}
interface Import {
  type: string;
  start: number;
  end: number;
  source: { value: string };
  specifiers: Specifier[];
}

const importOf = (names: readonly string[], source: string): string =>
  names.length === 0 ? '' : `import { ${names.join(', ')} } from '${source}';`;

/**
 * Takes calls and constants from modules of their own, without zod and the schemas, which would be a tenth of the first load. A form
 * takes the schema of a body, `createApiKey.body`, from the contract.
 */
export const contractValues: Plugin = {
  name: 'contract-values',
  apply: 'build',
  resolveId: { filter: { id: /^contract-values:/ }, handler: (id) => id },
  load: {
    filter: { id: /^contract-values:/ },
    handler(id) {
      const values = valuesOf(id.slice(VALUES.length));
      return [...values].map(([name, text]) => `export const ${name} = ${text};`).join('\n');
    },
  },
  transform: {
    filter: {
      id: /(web[\\/]src|contract[\\/]src[\\/]docs)[\\/].+\.tsx?$/,
      code: /@sixdigit\/contract\/|from ['"]\.\.?\//,
    },
    handler(code, id) {
      let text = code;
      for (const statement of (this.parse(code).body as unknown as Import[]).toReversed()) {
        if (statement.type !== 'ImportDeclaration') continue;
        const source = statement.source.value;
        const file = fileWithCalls(source, id);
        if (!file) continue;
        const values = valuesOf(file);
        let rest = text.slice(statement.end);
        const ofValues: string[] = [];
        const ofContract: string[] = [];
        for (const { imported, local } of statement.specifiers) {
          const isValue = values.has(imported.name);
          (isValue ? ofValues : ofContract).push(`${imported.name} as ${local.name}`);
          const body = new RegExp(`(?<![.$\\w])${local.name}(?=\\.body\\b)`, 'g');
          if (!isValue || rest.search(body) === -1) continue;
          ofContract.push(`${imported.name} as ${local.name}$`);
          rest = rest.replace(body, `${local.name}$$`);
        }
        text =
          text.slice(0, statement.start) +
          importOf(ofValues, VALUES + file) +
          importOf(ofContract, source) +
          rest;
      }
      return { code: text, map: null };
    },
  },
};

/** The fields of the documented calls are among the values. */
export const documentedFields: Plugin = {
  name: 'documented-fields',
  apply: 'build',
  transform: {
    filter: { id: /contract[\\/]src[\\/]docs[\\/]reference\.ts$/ },
    handler(code) {
      const derived = 'export function fieldsOf(';
      if (!code.includes(derived)) this.error('The fields of calls are derived in another way');
      return {
        code: `${code.replace(derived, 'function derivedFields(')}\nexport const fieldsOf = (call, part) => call[part] ?? [];`,
        map: null,
      };
    },
  },
};
