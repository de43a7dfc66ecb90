import { openApi } from '@sixdigit/contract/openapi/openapi.ts';
import { API_BASE, API_SCOPES, needsSession, type Route } from '@sixdigit/contract/route.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { beforeAll, describe, expect, test } from 'vitest';
import { owner } from './belongings.ts';
import { type Answered, expectDocumented } from './documented.ts';
import { startReceiver } from './fakes/receiver.ts';
import { fixture } from './fixture.ts';
import { BAD, hostileText, WORST } from './hostile.ts';
import {
  bodyText,
  contentType,
  fieldsOf,
  idempotencyKey,
  pathText,
  queryText,
  validFields,
  validParam,
} from './hostile-requests.ts';
import { testService } from './service.ts';
import { signedIn } from './signed-in.ts';

/**
 * Sends hostile input to every route. Each response must be documented in the contract, must not be a 500 and must carry a
 * request id. Inputs are valid ones with parts replaced, so that they pass the first check.
 */
let keys: string[];

const receiver = fixture(startReceiver);
const service = fixture(() => testService({ env: { TRUSTED_PROXIES: '10.0.0.0/8' } }));
const alice = fixture(() => owner(service, 'Alice', receiver.at('/ok')));
const bob = fixture(() => service.customer('Bob'));
beforeAll(async () => {
  keys = await Promise.all(
    Array.from({ length: 40 }, async () => (await service.anotherKey(alice.account_id)).key),
  );
  await service.app.db.run('update api_keys set scopes = $2 where account_id = $1', [
    alice.account_id,
    [...API_SCOPES],
  ]);
});

/** A valid value for every field of every body. A deletion gets a wrong password: the account is still needed. */
const right = (route?: Route): Record<string, unknown> => ({
  ...validFields(alice, receiver.at('/ok')),
  ...(route?.name === 'deleteMe' ? { password: 'not her password' } : {}),
});

const document = openApi({
  brand: 'Sixdigit',
  serverUrl: 'http://sixdigit.test/api/v1',
  supportEmail: 'help@acme.test',
}) as {
  paths: Record<string, Record<string, { responses: object }>>;
};
const responsesOf = ({ path, method }: Route): object =>
  document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]?.responses ?? {};

let turn = 0;
let bearer = '';
/** A new address and key for each request, so that no limit refuses it. Other tests cover the limits. */
const address = () => {
  turn += 1;
  return `10.${(turn >> 16) & 255}.${(turn >> 8) & 255}.${turn & 255}`;
};

function credentials({ auth }: Pick<Route, 'auth'>): Record<string, string> {
  if (auth === 'api_key') return { 'x-api-key': keys[turn % keys.length] ?? '' };
  return needsSession({ auth }) ? { authorization: `Bearer ${bearer}` } : {};
}

async function ask(route: Route, options: InjectOptions): Promise<Answered> {
  const headers = { ...credentials(route), ...options.headers };
  return service.inject({ ...options, headers, remoteAddress: address() });
}

/** Each run draws others. */
const RUNS = 24;

let fields = 0;
/** The inputs that each field gets, and the next of those that fields get in turns. */
const worstInTurn = (): unknown[] => [...WORST, BAD[fields++ % BAD.length]];
const worstTexts = (): string[] =>
  worstInTurn()
    .filter((worst) => typeof worst === 'string')
    .map((text) => encodeURIComponent(text.toWellFormed()));

/** Deletions come last, that of the account at the very end. */
const inOrder = routes
  .filter(({ stream }) => stream !== 'text/event-stream')
  .sort((a, b) => weight(a) - weight(b));
function weight({ method, name }: Route): number {
  return name === 'deleteMe' ? 2 : method === 'DELETE' ? 1 : 0;
}

describe.each(inOrder.map((route) => ({ name: `${route.method} ${route.path}`, route })))(
  '$name',
  ({ route }) => {
    test('a route returns only documented responses to extreme input in each field', async () => {
      bearer = await signedIn(service, alice);
      const path = route.path.replace(/:(\w+)/g, (_, name: string) => validParam(alice, route, name));
      const good = right(route);
      const requests = [
        ...[...route.path.matchAll(/:(\w+)/g)].flatMap(([, name = '']) =>
          worstTexts().map((text) => ({ url: path.replace(validParam(alice, route, name), text) })),
        ),
        ...fieldsOf(route.query).flatMap((name) =>
          worstTexts().map((text) => ({ url: `${path}?${name}=${text}` })),
        ),
        ...fieldsOf(route.body).flatMap((name) =>
          worstInTurn().map((worst) => ({
            url: path,
            payload: {
              ...Object.fromEntries(fieldsOf(route.body).map((one) => [one, good[one]])),
              [name]: worst,
            },
          })),
        ),
      ];
      for (const { url, ...options } of requests)
        expectDocumented(await ask(route, { method: route.method, url: API_BASE + url, ...options }), route);
    });

    test('a route returns a documented response to random input', async () => {
      for (const name of fieldsOf(route.body)) expect(right(), 'a right value').toHaveProperty(name);
      bearer = await signedIn(service, alice);
      const input = fc.record({
        path: pathText(alice, route),
        query: queryText(route),
        body: route.body ? bodyText(route, right(route)) : fc.option(hostileText, { freq: 3, nil: '' }),
        type: contentType,
        key: idempotencyKey,
      });
      await fc.assert(
        fc.asyncProperty(input, async ({ path, query, body, type, key }) => {
          const answer = await ask(route, {
            method: route.method,
            url: API_BASE + path + query,
            headers: {
              ...(body === '' ? {} : { 'content-type': type }),
              ...(key === undefined ? {} : { 'idempotency-key': key }),
            },
            ...(body === '' ? {} : { payload: Buffer.from(body) }),
          });
          expectDocumented(answer, route);
          const statuses = Object.keys(responsesOf(route));
          expect(statuses, 'the statuses that OpenAPI names').toContain(String(answer.statusCode));
        }),
        { interruptAfterTimeLimit: 2_500, endOnFailure: true, numRuns: route.body ? RUNS : RUNS / 2 },
      );
    });
  },
);

describe('arbitrary headers', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 60 }).map((some) => some.replace(/[^\x20-\x7e]/g, '')),
    fc.string({ unit: 'binary', maxLength: 20 }).map((some) => some.replace(/[^\x80-\xff]/g, 'ÿ')),
    fc.constantFrom(
      ...[
        '',
        ' ',
        '*',
        'null',
        ', ,',
        '1.2.3.4',
        '1.2.3.4:80',
        '::ffff:1.2.3.4',
        '[::1]:80',
        'fe80::1%eth0',
        '999.1.1.1',
      ],
      ...[
        'localhost',
        '"><script>',
        'x'.repeat(4_000),
        'Basic YTpi',
        'Bearer',
        'a, b',
        'application/json',
        'gzip;q=9',
      ],
    ),
  );
  const names = [
    ...[
      'user-agent',
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-proto',
      'forwarded',
      'host',
      'origin',
    ],
    ...[
      'referer',
      'cookie',
      'accept',
      'accept-encoding',
      'if-none-match',
      'range',
      'authorization',
      'x-api-key',
    ],
    ...[
      'idempotency-key',
      'x-request-id',
      'expect',
      'x-http-method-override',
      'access-control-request-method',
    ],
  ];
  const some = fc.dictionary(fc.constantFrom(...names), text, { maxKeys: 4 });

  test.each(['sendOtp', 'signIn', 'getMe', 'createIntent'])(
    '%s returns a documented response to arbitrary headers',
    async (name) => {
      const route = routes.find((one) => one.name === name) as Route;
      bearer = await signedIn(service, bob);
      await fc.assert(
        fc.asyncProperty(some, async (headers) => {
          const payload = route.body ? { payload: right() } : {};
          expectDocumented(
            await ask(route, { method: route.method, url: API_BASE + route.path, headers, ...payload }),
            route,
          );
        }),
        { interruptAfterTimeLimit: 2_500, endOnFailure: true, numRuns: RUNS },
      );
    },
  );

  test('health checks, metrics and pages handle arbitrary headers', async () => {
    const url = fc
      .tuple(
        fc.constantFrom(
          '/config.json',
          '/healthz',
          '/metrics',
          '/',
          '/sandbox',
          '/sandbox/messages',
          '/x.js',
          '/api/v1/openapi.json',
        ),
        fc.option(
          hostileText.map((text) => `?recipient=${encodeURIComponent(text.toWellFormed())}`),
          { nil: '' },
        ),
      )
      .map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(url, some, async (url, headers) => {
        const answer = await service.inject({ url, headers, remoteAddress: '127.0.0.1' });
        expect(answer.statusCode).not.toBe(500);
        expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      }),
      { interruptAfterTimeLimit: 2_500, endOnFailure: true, numRuns: RUNS },
    );
  });
});

test('accepted input is processed without a logged error and leaves no queue entry', async () => {
  await service.drain();
  await service.app.requestLog.flush();
  const errors = service.logLines.filter((line) => /"level":"(error|fatal)"/.test(line));
  expect(errors).toEqual([]);
});
