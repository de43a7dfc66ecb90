import { operatorRoutes } from '@sixdigit/contract/operator/routes.ts';
import { API_BASE, type Route } from '@sixdigit/contract/route.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { Decided } from '../src/platform/http/answer.ts';
import { type Authenticators, serve } from '../src/platform/http/serve.ts';
import { createServer, type Server } from '../src/platform/http/server.ts';
import type { Owner } from './belongings.ts';
import { fixture } from './fixture.ts';
import { validFields } from './hostile-requests.ts';
import { testService } from './service.ts';

/** Optional fields in which null has a meaning. In all others, null counts as absent. */
const NULL_MEANS: Readonly<Record<string, readonly string[]>> = {
  updateProfile: ['time_zone'],
  previewBranding: ['low_balance_threshold'],
  updateBranding: ['low_balance_threshold'],
  updateLowBalance: ['low_balance_threshold'],
  createApiKey: ['expires_at', 'daily_credit_limit'],
  updateApiKey: ['expires_at', 'daily_credit_limit'],
  createConnection: [
    'message',
    'language',
    'code_pattern',
    'code_expires_in',
    'expires_at',
    'daily_credit_limit',
  ],
  updateConnection: [
    'message',
    'language',
    'code_pattern',
    'code_expires_in',
    'expires_at',
    'daily_credit_limit',
  ],
  allowDestination: ['note', 'expires_at'],
  denyDestination: ['note', 'expires_at'],
  updateSso: ['exempt_person_id'],
  updateCarrier: ['weight'],
  updateOperatorProtection: ['updated_at'],
  createAnnouncement: ['ends_at'],
};

/** The real router and the real validation, with handlers that return the body that they got. */
let server: Server;
const withBodies = [...routes, ...operatorRoutes].filter(({ body }) => body);

const service = fixture(testService);
beforeAll(async () => {
  const caller = async () => ({ is_proven: true, sso_account_id: null }) as never;
  const authenticators: Authenticators = {
    person: caller,
    bearer: caller,
    api_key: caller,
    operator: caller,
  };
  server = await createServer(service.app, authenticators);
  for (const route of withBodies)
    serve(server, route as Route & { stream?: never }, ({ body }) => new Decided(200, { body }));
});
afterAll(async () => {
  await server.close();
});

const send = async ({ method, path }: Route, payload: object) => {
  const url = API_BASE + path.replace(/:\w+/g, '018f0000-0000-7000-8000-000000000000');
  const { statusCode, body } = await server.inject({ method, url, payload });
  return { statusCode, body };
};

interface Shape {
  properties?: Record<string, unknown>;
  required?: string[];
}
const shapeOf = (route: Route): Shape =>
  z.toJSONSchema(route.body as z.ZodType, { io: 'input', unrepresentable: 'any' }) as Shape;

const nobody = new Proxy({}, { get: (_, name) => `${String(name)} of nobody` }) as Owner;
const good = validFields(nobody, 'https://hooks.example.com/');

test('every call with a body describes its fields', () => {
  expect(withBodies.length).toBeGreaterThan(60);
  for (const route of withBodies) expect(shapeOf(route).properties, route.name).toBeDefined();
});

test.each(withBodies.map((route) => ({ name: route.name, route })))(
  'null in an optional field of $name counts as a missing field',
  async ({ name, route }) => {
    const { properties = {}, required = [] } = shapeOf(route);
    const optional = Object.keys(properties).filter(
      (field) => !required.includes(field) && !NULL_MEANS[name]?.includes(field),
    );
    const base = Object.fromEntries(
      required.filter((field) => field in good).map((field) => [field, good[field]]),
    );
    const without = await send(route, base);
    for (const field of optional)
      expect(await send(route, { ...base, [field]: null }), field).toEqual(without);
    const all = Object.fromEntries(optional.map((field) => [field, null]));
    expect(await send(route, { ...base, ...all })).toEqual(without);
    for (const field of NULL_MEANS[name] ?? [])
      expect(JSON.parse((await send(route, { ...base, [field]: null })).body), field).not.toHaveProperty(
        field,
      );
  },
);
