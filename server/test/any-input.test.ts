import { connect } from 'node:net';
import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { failures } from '#contract/errors.ts';
import { openApi } from '#contract/openapi.ts';
import { sendOtp } from '#contract/otp.ts';
import { API_BASE, type Route } from '#contract/route.ts';
import { routes } from '#contract/routes.ts';
import { type Owner, owner, TEST_CARD } from './belongings.ts';
import { type Answered, expectDocumented } from './documented.ts';
import { type Receiver, startReceiver } from './fakes/receiver.ts';
import { hostile, hostileText, WORST } from './hostile.ts';
import { type Customer, type TestService, testService } from './service.ts';
import { signedIn } from './signed-in.ts';

/**
 * Sends hostile input to every route. Each response must be documented in the contract, never a 500, and carry a request id.
 * Inputs are valid ones with parts replaced, so that they pass the first check.
 */
let service: TestService;
let receiver: Receiver;
let alice: Owner;
let keys: string[];
/** The requests may delete Alice's account. */
let bob: Customer;

beforeAll(async () => {
  [service, receiver] = await Promise.all([
    testService({ env: { TRUSTED_PROXIES: '10.0.0.0/8' } }),
    startReceiver(),
  ]);
  alice = await owner(service, 'Alice', receiver.at('/ok'));
  bob = await service.customer('Bob');
  keys = await Promise.all(
    Array.from({ length: 40 }, async () => (await service.anotherKey(alice.account_id)).key),
  );
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await receiver.close();
});

// ── requests ──

/** A valid value for every field of every body. */
const right = (): Record<string, unknown> => ({
  allowed_networks: ['0.0.0.0/0', '::/0'],
  allow: [{ kind: 'number', value: '+14155550101' }],
  api_key: alice.api_key_id,
  authentication: 'completed',
  auto_purchase_amount: 500,
  auto_purchase_enabled: true,
  auto_purchase_threshold: 50,
  card: TEST_CARD,
  channel: 'sms',
  client_ip: '203.0.113.7',
  client_secret: alice.client_secret,
  code: '123456',
  confirm_password: alice.password,
  credential: {
    id: 'AAAA',
    rawId: 'AAAA',
    type: 'public-key',
    response: { clientDataJSON: 'e30', attestationObject: 'oA', authenticatorData: 'AA', signature: 'AA' },
    clientExtensionResults: {},
  },
  credits: 100,
  current_password: alice.password,
  daily_credit_limit: 1_000_000,
  domain: 'shop.example.com',
  default_expiry_seconds: 300,
  default_message: 'Code: {code}',
  default_otp_length: 6,
  default_subject: 'Your code',
  deny: [{ kind: 'address', value: '203.0.113.0/24' }],
  email: alice.email,
  expires_at: '2030-01-31T12:00:00Z',
  expires_in: 300,
  first_name: 'Zoe',
  is_active: true,
  keep_current: true,
  kind: 'prefix',
  last_name: 'Zett',
  list: 'deny',
  low_balance_threshold: 10,
  message: 'Your code: {code}',
  mode: 'live',
  monthly_credit_limit: 1_000_000,
  name: 'A name',
  note: 'A note',
  otp_id: alice.open_otp_id,
  password: alice.password,
  payment_intent_id: alice.payment_intent_id,
  payment_method_id: alice.payment_method_id,
  phone_number: '4155550199',
  price_usd_cents: 200,
  recipient: '+14155550100',
  recovery_code: '0123-4567-89AB-CDEF',
  method: 'authenticator',
  refresh: alice.refresh,
  reply_to_email: 'zoe@people.test',
  rules: { prefix_velocity: { mode: 'monitor', limit: 40 } },
  save_payment_method: true,
  scopes: ['otp:send', 'otp:verify', 'otp:read'],
  secret: 'a secret of mine',
  send_on_delivered: true,
  send_on_expired: true,
  send_on_failed: true,
  send_on_sent: true,
  send_on_verified: true,
  sender_name: 'Zoe’s shop',
  since: '2026-01-31T12:00:00Z',
  session_token: 's'.repeat(43),
  token: 't'.repeat(43),
  subject: 'Your code',
  time_zone: 'Europe/Paris',
  two_factor_enabled: true,
  two_factor_method: 'email',
  url: receiver.at('/ok'),
  valid_days: 7,
  value: '+1415555',
});

/** A valid value for a path parameter. */
const named = ({ path }: Route, name: string): string => {
  if (name === 'otp_id') return alice.open_otp_id;
  if (name === 'message_id') return alice.message_id;
  if (name === 'attempt_id') return alice.attempt_id;
  const [noun = ''] = path.split('/:id')[0]?.split('/').slice(-1) ?? [];
  const ids: Record<string, string> = {
    verifications: alice.verified_otp_id,
    passkeys: alice.session_id,
    'message-domains': alice.session_id,
    sessions: alice.session_id,
    'api-keys': alice.api_key_id,
    webhooks: alice.webhook_id,
    methods: alice.payment_method_id,
    history: alice.purchase_id,
  };
  const id = ids[noun];
  if (!id) throw new Error(`Alice owns nothing for ${path}`);
  return id;
};

const SURPRISES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'id', 'account_id'];

const fieldsOf = (schema: z.ZodType | undefined): string[] =>
  Object.keys(
    (schema ? (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as never) : {})[
      'properties' as never
    ] ?? {},
  );

const quoted = (value: unknown): string => JSON.stringify(value) ?? 'null';

/** JSON text with valid, hostile, missing, duplicate and undocumented fields. */
function bodyText(route: Route): fc.Arbitrary<string> {
  const fields = fieldsOf(route.body);
  const good = right();
  if (route.name === 'deleteMe') good.password = 'not her password';
  const changed = (name: string): fc.Arbitrary<[string, unknown][]> =>
    fc.oneof(
      { weight: 8, arbitrary: hostile.map((value): [string, unknown][] => [[name, value]]) },
      { weight: 1, arbitrary: fc.constant<[string, unknown][]>([]) },
      {
        weight: 1,
        arbitrary: hostile.map((value): [string, unknown][] => [
          [name, good[name]],
          [name, value],
        ]),
      },
    );
  const surprise = fc.option(fc.tuple(fc.constantFrom(...SURPRISES), hostile), { freq: 3, nil: undefined });
  const some = fc.oneof(
    { weight: 5, arbitrary: fc.subarray(fields, { maxLength: Math.min(1, fields.length) }) },
    { weight: 1, arbitrary: fc.subarray(fields) },
  );
  const object = some
    .chain((names) =>
      fc.tuple(
        fc.tuple(
          ...fields.map(
            (name): fc.Arbitrary<[string, unknown][]> =>
              names.includes(name) ? changed(name) : fc.constant([[name, good[name]]]),
          ),
        ),
        surprise,
      ),
    )
    .map(([all, extra]) => [...all.flat(), ...(extra ? [extra] : [])])
    .map((pairs) => `{${pairs.map(([name, value]) => `${quoted(name)}:${quoted(value)}`).join(',')}}`);
  return fc.oneof(
    { weight: 12, arbitrary: object },
    { weight: 1, arbitrary: hostile.map(quoted) },
    { weight: 1, arbitrary: object.map((text) => text.slice(0, -1)) },
    { weight: 1, arbitrary: object.map((text) => `${text}${text}`) },
    { weight: 1, arbitrary: hostileText },
    {
      weight: 1,
      arbitrary: fc.constantFrom('[', '{"a":', 'null', '""', '{}', '{"__proto__":{"x":1}}', '\ufeff{}'),
    },
  );
}

const queryText = (route: Route): fc.Arbitrary<string> => {
  const names = ['page', 'page_size', 'search', 'ordering', ...fieldsOf(route.query), 'page[]', '__proto__'];
  const value = fc.oneof(
    fc.constantFrom('1', '-1', '0', '100', '101', '1e9', ' 1', '1.5', '', 'created_at', '-created_at', 'all'),
    hostileText,
  );
  const encoded = value.map((text) => encodeURIComponent(text.toWellFormed()));
  const raw = fc.constantFrom('%', '%zz', '%ff%fe', '%00', '%c3%28', '+', '%F0%9F%92%A9', '=', '&&');
  const pair = fc
    .tuple(fc.constantFrom(...names), fc.oneof({ weight: 5, arbitrary: encoded }, raw))
    .map(([name, text]) => `${name}=${text}`);
  return fc.array(pair, { maxLength: 4 }).map((pairs) => (pairs.length > 0 ? `?${pairs.join('&')}` : ''));
};

const pathText = (route: Route): fc.Arbitrary<string> => {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const value: fc.Arbitrary<string | undefined> = fc
    .oneof(
      { weight: 3, arbitrary: fc.constant(undefined) },
      { weight: 3, arbitrary: hostileText.map((text) => encodeURIComponent(text.toWellFormed())) },
      {
        weight: 1,
        arbitrary: fc.constantFrom('%', '%zz', '%00', '%ff', '...', '%2e%2ex', '%2f', '-', '*', ':id'),
      },
      { weight: 1, arbitrary: fc.uuid() },
    )
    // The client resolves a dot segment: the request would be one of another route.
    .filter((text) => !text || !/^(\.|%2e){1,2}$/i.test(text));
  return fc
    .tuple(...names.map(() => value))
    .map((values) =>
      names.reduce(
        (path, name, n) => path.replace(`:${name}`, () => values[n] ?? named(route, name)),
        route.path as string,
      ),
    );
};

const CONTENT_TYPES = [
  'application/json; charset=utf-16',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/json/json',
  ';',
  'x',
];
const contentType = fc.oneof(
  { weight: 9, arbitrary: fc.constant('application/json') },
  { weight: 1, arbitrary: fc.constantFrom(...CONTENT_TYPES) },
);
const idempotencyKey = fc.option(
  fc.constantFrom('k', 'a b', '\u00e9', 'x'.repeat(255), 'x'.repeat(256), '', ' ', '"'),
  { freq: 4, nil: undefined },
);

// ── responses ──

const document = openApi('Sixdigit', 'http://sixdigit.test/api/v1') as {
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
  return auth === 'bearer' ? { authorization: `Bearer ${bearer}` } : {};
}

async function ask(route: Route, options: InjectOptions): Promise<Answered> {
  const headers = { ...credentials(route), ...options.headers };
  return service.inject({ ...options, headers, remoteAddress: address() });
}

const RUNS = 50;

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
    test('every route returns documented responses to the worst input in each place', async () => {
      bearer = await signedIn(service, alice);
      const path = route.path.replace(/:(\w+)/g, (_, name: string) => named(route, name));
      const good = right();
      if (route.name === 'deleteMe') good.password = 'not her password';
      for (const worst of WORST) {
        const texts = typeof worst === 'string' ? [encodeURIComponent(worst.toWellFormed())] : [];
        const urls = [
          ...texts.flatMap((text) =>
            [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) =>
              path.replace(named(route, name), text),
            ),
          ),
          ...texts.flatMap((text) => fieldsOf(route.query).map((name) => `${path}?${name}=${text}`)),
        ];
        for (const url of urls)
          expectDocumented(await ask(route, { method: route.method, url: API_BASE + url }), route);
        for (const name of fieldsOf(route.body)) {
          const payload = {
            ...Object.fromEntries(fieldsOf(route.body).map((one) => [one, good[one]])),
            [name]: worst,
          };
          const answer = await ask(route, { method: route.method, url: API_BASE + path, payload });
          expectDocumented(answer, route);
        }
      }
    });

    test('every route returns a documented response to any input', async () => {
      for (const name of fieldsOf(route.body)) expect(right(), 'a right value').toHaveProperty(name);
      bearer = await signedIn(service, alice);
      const input = fc.record({
        path: pathText(route),
        query: queryText(route),
        body: route.body ? bodyText(route) : fc.option(hostileText, { freq: 3, nil: '' }),
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
    '%s stays documented under arbitrary headers',
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

  test('health checks, metrics and pages survive arbitrary headers', async () => {
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

test('accepted input is processed without an error in the log and leaves no queue entry', async () => {
  await service.drain();
  await service.app.requestLog.flush();
  const errors = service.logLines.filter((line) => /"level":"(error|fatal)"/.test(line));
  expect(errors).toEqual([]);
});

describe('a request outside the API', () => {
  test.each(['PATCH', 'OPTIONS', 'PROPFIND'])('%s is not found on any route', async (method) => {
    for (const route of inOrder) {
      const answer = await service.inject({ method: method as 'PATCH', url: API_BASE + route.path });
      expect(answer.statusCode).toBe(404);
      expectDocumented(answer, route);
    }
  });

  test.each([
    '/api/v1/',
    '/api/v1/nothing',
    '/api/v1//otp/send/',
    '/api/v1/otp/%2e%2e/users/me',
    `/api/v1/otp/${'x'.repeat(3_000)}/`,
    '/api/v1/%',
    '/%c0%ae%c0%ae/',
    '/api/v1/otp/send/;a=b',
  ])('%s is not found', async (url) => {
    const answer = await service.inject({ method: 'POST', url, remoteAddress: address() });
    expectDocumented(answer, sendOtp);
    expect([401, 404]).toContain(answer.statusCode);
  });

  test('bodies over the limit are refused, with and without a Content-Length header', async () => {
    for (const [route, limit] of routes
      .filter(({ body }) => body)
      .map((route) => [route, route.auth === 'api_key' ? 16 : 64] as const)) {
      bearer = await signedIn(service, bob);
      const answer = await ask(route, {
        method: route.method,
        url: API_BASE + route.path.replace(/:\w+/g, 'x'),
        headers: { 'content-type': 'application/json' },
        payload: `{"recipient":"${'x'.repeat(limit * 1024)}"}`,
      });
      expect(answer.statusCode).toBe(413);
      expectDocumented(answer, route);
    }
    const tooLarge = await raw(
      `POST /api/v1/auth/signin HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${`4000\r\n${'x'.repeat(0x4000)}\r\n`.repeat(5)}0\r\n\r\n`,
    );
    expect(tooLarge.status).toBe(413);
    expect(tooLarge.body).toMatchObject({ reason: 'body_too_large' });
  });

  test.each([
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n'],
    ['no HTTP at all', 'EHLO mail.example\r\n\r\n'],
    ['an unknown method', 'FOO /api/v1/users/me HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['headers without end', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'a broken chunk',
      'POST /api/v1/auth/signin HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    ],
    ['a line break inside a header', 'GET / HTTP/1.1\r\nHost: x\r\nX-API-Key: a\rb\r\n\r\n'],
  ])('%s gets a documented response, and the service keeps running', async (_what, text) => {
    const { status, headers, body } = await raw(text);
    expect(status).toBe(400);
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(body).toEqual({ error: failures.malformed_request.error, reason: 'malformed_request' });
    expect((await service.inject({ url: '/healthz' })).statusCode).toBe(200);
  });
});

/** Writes raw bytes to a socket and parses the raw response. */
async function raw(
  text: string,
): Promise<{ status: number; headers: Record<string, string>; body: unknown }> {
  origin ??= new URL(await service.listen());
  const socket = connect(Number(origin.port), '127.0.0.1');
  const chunks: Buffer[] = [];
  // The other side may close before it has read everything.
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(text);
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once('close', () => resolve());
  // A response that keeps the connection open is complete by then.
  socket.setTimeout(1_000, () => socket.destroy());
  await promise;
  const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n');
  const [line = '', ...headers] = head.split('\r\n');
  return {
    status: Number(line.split(' ')[1]),
    headers: Object.fromEntries(
      headers.map((header): [string, string] => {
        const [name = '', ...value] = header.split(':');
        return [name.toLowerCase(), value.join(':').trim()];
      }),
    ),
    body: body === '' ? undefined : JSON.parse(body),
  };
}
let origin: URL | undefined;
