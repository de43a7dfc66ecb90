// @vitest-environment node
import { parseAst } from 'vite';
import { expect, test } from 'vitest';
import { contractValues } from './contract-values.ts';

type Hook<R> = { handler: (this: { parse: typeof parseAst }, ...text: string[]) => Promise<R> };
const { transform, load } = contractValues as unknown as {
  transform: Hook<{ code: string }>;
  load: Hook<string>;
};
const transformed = async (code: string): Promise<string> =>
  (await transform.handler.call({ parse: parseAst }, code, '/web/src/keys.ts')).code;
const FROM = '@sixdigit/contract/api-keys.ts';

test('a module that only makes a call takes it without the schemas', async () => {
  expect(await transformed(`import { listApiKeys } from '${FROM}'; call(listApiKeys);`)).toBe(
    `import { listApiKeys as listApiKeys } from 'contract-values:api-keys.ts'; call(listApiKeys);`,
  );
});

test('a form takes the schema of a body from the contract', async () => {
  const form = await transformed(
    `import { createApiKey } from '${FROM}'; use({ schema: createApiKey.body, submit: () => call(createApiKey) });`,
  );
  expect(form).toContain(`import { createApiKey as createApiKey$ } from '${FROM}';`);
  expect(form).toContain('schema: createApiKey$.body, submit: () => call(createApiKey)');
});

test('a call of a module without schemas keeps its authentication', async () => {
  expect(await transformed(`import { openLive } from '@sixdigit/contract/live.ts';`)).toContain(
    `from 'contract-values:live.ts'`,
  );
  expect(await load.handler.call({ parse: parseAst }, 'contract-values:live.ts')).toContain(
    '"auth":"bearer"',
  );
});

test('schemas and functions come from the contract, and modules without schemas stay as they are', async () => {
  expect(await transformed(`import { ApiKey } from '${FROM}';`)).toBe(
    `import { ApiKey as ApiKey } from '${FROM}';`,
  );
  const other = `import { CHANNELS } from '@sixdigit/contract/channels.ts';`;
  expect(await transformed(other)).toBe(other);
});

test('the calls and constants of a module equal those of the contract', async () => {
  const code = await load.handler.call({ parse: parseAst }, 'contract-values:api-keys.ts');
  expect(code).toContain('export const API_KEYS_MAX = 100;');
  expect(code).toContain(
    'export const createApiKey = {"method":"POST","path":"/api-keys/","name":"createApiKey","auth":"bearer"};',
  );
  expect(code).not.toContain('KeyBody');
});
