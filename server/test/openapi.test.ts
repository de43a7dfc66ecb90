import { createConfig, lintFromString } from '@redocly/openapi-core';
import { signIn, signOut } from '@sixdigit/contract/accounts/sign-in.ts';
import { failures } from '@sixdigit/contract/errors.ts';
import { openApi } from '@sixdigit/contract/openapi/openapi.ts';
import { operatorRoutes } from '@sixdigit/contract/operator/routes.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { API_SCOPES, needsSession } from '@sixdigit/contract/route.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { serve } from '../src/platform/http/serve.ts';
import { createServer } from '../src/platform/http/server.ts';
import { answerProblems, checkAnswers, inlined } from './openapi-answers.ts';
import { testService } from './service.ts';

/** The document as a reader of OpenAPI 3.1 sees it: shape by the standard, contents by our routes. */
const document = openApi({
  brand: 'Sixdigit',
  serverUrl: 'https://otp.acme.test/api/v1',
  supportEmail: 'help@acme.test',
});

const METHODS = ['get', 'put', 'post', 'delete'] as const;
const Schema = z.union([z.boolean(), z.record(z.string(), z.unknown())]);
const Reference = z
  .strictObject({ $ref: z.string().startsWith('#/components/'), 'x-reasons': z.unknown() })
  .partial({ 'x-reasons': true });
const Headers = z.record(z.string().regex(/^[A-Z][A-Za-z-]+$/), Reference);
const Content = z.record(z.string().includes('/'), z.strictObject({ schema: z.union([Reference, Schema]) }));
const Parameter = z.strictObject({
  name: z.string().min(1),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean().optional(),
  description: z.string().optional(),
  schema: Schema,
});
const Operation = z.strictObject({
  operationId: z.string().regex(/^[a-zA-Z]+$/),
  tags: z.array(z.string()).min(1),
  summary: z.string().min(1),
  description: z.string().min(1),
  'x-scope': z.enum(API_SCOPES).optional(),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z.array(Parameter),
  requestBody: z.strictObject({ required: z.literal(true), content: Content }).optional(),
  responses: z.record(
    z.string().regex(/^[1-5]\d\d$/),
    z.strictObject({
      description: z.string().min(1),
      headers: Headers.optional(),
      content: Content.optional(),
    }),
  ),
});
const OpenApi = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.strictObject({
    title: z.string(),
    version: z.string(),
    description: z.string(),
    contact: z.strictObject({ name: z.string(), email: z.email() }),
    license: z.strictObject({ name: z.string(), identifier: z.string() }),
  }),
  servers: z.array(z.strictObject({ url: z.url() })).min(1),
  tags: z.array(z.strictObject({ name: z.string(), description: z.string().min(1) })),
  paths: z.record(z.string().startsWith('/'), z.partialRecord(z.enum(METHODS), Operation)),
  components: z.strictObject({
    securitySchemes: z.record(z.string(), z.looseObject({ type: z.enum(['http', 'apiKey']) })),
    headers: z.record(
      z.string(),
      z.strictObject({ description: z.string().min(1), required: z.boolean().optional(), schema: Schema }),
    ),
    schemas: z.record(z.string(), Schema),
  }),
});

const read = () => OpenApi.parse(JSON.parse(JSON.stringify(document)));
const operations = () =>
  Object.entries(read().paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ path, method, operation }] : [];
    }),
  );

/** Every schema in the document, however deep it stands in another. */
function schemasIn(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap(schemasIn);
  if (value === null || typeof value !== 'object') return [];
  return [value as Record<string, unknown>, ...Object.values(value).flatMap(schemasIn)];
}

test('the API document conforms to OpenAPI 3.1', () => {
  const { error } = OpenApi.safeParse(JSON.parse(JSON.stringify(document)));
  expect(error && z.prettifyError(error)).toBeUndefined();
});

const operatorDocument = openApi(
  { brand: 'Sixdigit operator', serverUrl: 'https://otp.acme.test/api/v1', supportEmail: 'help@acme.test' },
  operatorRoutes,
);

test.each([
  ['customers', document],
  ['operators', operatorDocument],
])(
  'the OpenAPI document of %s passes the recommended rules of Redocly, except that paths end in slashes',
  async (_, given) => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: JSON.stringify(given), config });
    expect(
      problems
        .filter(({ ruleId }) => ruleId !== 'no-path-trailing-slash')
        .map(({ ruleId, message }) => [ruleId, message]),
    ).toEqual([]);
  },
);

// Spectral has 130 packages more for these.
test.each([
  ['customers', document],
  ['operators', operatorDocument],
])('the OpenAPI document of %s passes the recommended rules of Spectral that Redocly lacks', (_, given) => {
  const { info, tags, paths, components } = OpenApi.parse(JSON.parse(JSON.stringify(given)));
  expect(info.contact.email).toBe('help@acme.test');
  const all = Object.values(paths).flatMap((item) => METHODS.flatMap((method) => item[method] ?? []));
  const usedTags = [...new Set(all.flatMap((operation) => operation.tags))];
  expect(tags.map(({ name }) => name).sort()).toEqual(usedTags.sort());
  for (const { security, description } of all) {
    expect(description.trim()).not.toBe('');
    // Only OAuth has scopes.
    expect(security.flatMap((one) => Object.values(one).flat())).toEqual([]);
  }
  const text = JSON.stringify(paths);
  for (const kind of ['headers', 'schemas'] as const)
    for (const name of Object.keys(components[kind]))
      expect(text).toContain(`"#/components/${kind}/${name}"`);
});

test('the OpenAPI document lists exactly the routes of the service', () => {
  const described = operations().map(
    ({ path, method, operation }) => `${operation.operationId} ${method} ${path}`,
  );
  const served = routes.map(
    ({ name, method, path }) => `${name} ${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`,
  );
  expect(described.sort()).toEqual(served.sort());
  expect(new Set(operations().map(({ operation }) => operation.operationId)).size).toBe(routes.length);
});

test('OpenAPI paths contain exactly the described parameters', () => {
  for (const { path, operation } of operations()) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const described = operation.parameters.filter((parameter) => parameter.in === 'path');
    expect(described.map(({ name }) => name)).toEqual(inPath);
    expect(described.every(({ required }) => required === true)).toBe(true);
    const names = operation.parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
    expect(new Set(names).size).toBe(names.length);
  }
});

test('every OpenAPI schema is valid, not empty and has only resolvable references', () => {
  const whole = inlined(document, document);
  expect(schemasIn(whole).filter((schema) => '$ref' in schema)).toEqual([]);
  for (const { operation } of operations()) {
    const bodies = [
      operation.requestBody?.content,
      ...Object.values(operation.responses).map(({ content }) => content),
    ];
    for (const schema of bodies.flatMap(
      (content): unknown => content?.['application/json']?.schema ?? [],
    ) as Record<string, unknown>[]) {
      expect(() => z.fromJSONSchema(inlined(schema, document) as never)).not.toThrow();
      expect(Object.keys(schema).length, operation.operationId).toBeGreaterThan(0);
    }
  }
  const types = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];
  for (const { type } of schemasIn(whole).filter(
    ({ type }) => typeof type === 'string' && !['http', 'apiKey'].includes(type),
  ))
    expect(types).toContain(type);
});

test('the OpenAPI document gives an authenticated call its security scheme and 401', () => {
  const { securitySchemes } = read().components;
  for (const { auth, method, path, scope } of routes) {
    const operation = read().paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase() as 'get'];
    const names = operation?.security.flatMap((one) => Object.keys(one)) ?? [];
    const byKey = auth === 'api_key' || (auth === 'bearer' && scope !== undefined);
    expect(names).toEqual([...(needsSession({ auth }) ? ['bearer'] : []), ...(byKey ? ['apiKey'] : [])]);
    for (const name of names) expect(securitySchemes).toHaveProperty(name);
    const statuses = Object.keys(operation?.responses ?? {});
    expect(statuses.includes('401') || auth === 'none').toBe(true);
    for (const status of ['500', '503']) expect(statuses).toContain(status);
  }
});

test('the OpenAPI document lists each route’s refusals with status and reason', () => {
  for (const { name, failures: own = [], status } of routes) {
    const operation = operations().find(({ operation }) => operation.operationId === name)?.operation;
    expect(operation?.responses).toHaveProperty(String(status));
    for (const reason of own) {
      const refusal = operation?.responses[String(failures[reason].status)];
      expect(JSON.stringify(refusal), `${name}: ${reason}`).toContain(`"${reason}"`);
    }
  }
});

test('the contract accepts every body that the OpenAPI document allows', () => {
  const examples: Record<string, unknown> = {
    sendOtp: { channel: 'email', recipient: 'a@example.com', expires_in: 300 },
    verifyOtp: { otp_id: '0199e0a0-0000-7000-8000-000000000000', code: '012345' },
    createApiKey: { name: 'Key' },
    createWebhook: { name: 'Hook', url: 'https://example.com/' },
    signIn: { email: 'a@example.com', password: 'secret enough' },
  };
  for (const [name, example] of Object.entries(examples)) {
    const operation = operations().find(({ operation }) => operation.operationId === name)?.operation;
    const schema = operation?.requestBody?.content['application/json']?.schema;
    const byDocument = z.fromJSONSchema(inlined(schema, document) as never);
    const body = routes.find((route) => route.name === name)?.body;
    expect({ name, right: byDocument.safeParse(example).success }).toEqual({ name, right: true });
    expect(body?.safeParse(example).success).toBe(true);
    expect({ name, right: byDocument.safeParse({}).success }).toEqual({ name, right: false });
  }
});

test('every test fails on a response that differs from the OpenAPI document', async () => {
  const route = { method: 'POST', path: '/otp/send/' } as const;
  const given = (status: number, body: unknown) =>
    answerProblems({ route, status, contentType: 'application/json', text: JSON.stringify(body) });
  const fields = { recipient: ['This field is required.'] };
  expect(given(400, fields)).toEqual([]);
  expect(given(400, { ...fields, error: 'This field is required.' })).toHaveLength(1);
  expect(given(402, { error: 'Insufficient credits', reason: 'insufficient_credits' })).toEqual([]);
  expect(given(402, { error: 'Insufficient credits', reason: 'invalid_code' })).toHaveLength(1);
  expect(given(418, fields)).toHaveLength(1);
  expect(given(201, { otp_id: 'no id' })).toHaveLength(1);

  await using service = await testService();
  const server = await createServer(service.app, service.server.authenticators);
  const answers = checkAnswers(server);
  serve(server, { ...signOut, auth: 'none', status: 200, reply: z.object({ ok: z.boolean() }) }, () => ({
    ok: true,
  }));
  await server.inject({ method: signOut.method, url: `/api/v1${signOut.path}`, payload: { refresh: 'x' } });
  await server.close();
  expect(() => answers.assertRight()).toThrow(/differ from the OpenAPI document/);
});

test("the dashboard's field errors repeat the first message as `error`, those of the public API do not", async () => {
  await using service = await testService();
  const alice = await service.customer('Alice');
  const form = await service.call(signIn, { body: {} });
  expect(form).toMatchObject({
    status: 400,
    body: { error: 'This field is required.', email: ['This field is required.'] },
  });
  const api = await service.call(sendOtp, { apiKey: alice.api_key, body: {} });
  expect(api.status).toBe(400);
  expect(api.body).not.toHaveProperty('error');
});
