import { listConnections } from '@sixdigit/contract/connection-list.ts';
import { createConnection } from '@sixdigit/contract/connections.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { API_BASE, type Route } from '@sixdigit/contract/route.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { TWILIO_PATH } from '@sixdigit/contract/twilio.ts';
import { describe, expect, test } from 'vitest';
import { STRIPE_WEBHOOK_PATH } from '../src/payments/events.ts';
import { readSecret } from '../src/platform/signing/standard-webhooks.ts';
import { firstForeignHost } from '../src/protection/message-links/links.ts';
import { startHttpCarrier } from './fakes/http-carrier.ts';
import { startTwilio } from './fakes/twilio.ts';
import { fixture } from './fixture.ts';
import { expectQuick, FEW_UNITS, repeated, UNITS } from './linear-time.ts';
import { stripeShop } from './payments.ts';
import { testService } from './service.ts';
import { signedIn } from './signed-in.ts';

/** No request, of strangers or customers, occupies a process longer than linear work does. */
const KIB = 1024;
const twilio = fixture(startTwilio);
const gateway = fixture(startHttpCarrier);
const service = fixture(() =>
  testService({
    env: {
      TRUSTED_PROXIES: '127.0.0.1',
      MESSAGE_LINKS: 'listed',
      TWILIO_ACCOUNT_SID: twilio.accountSid,
      TWILIO_AUTH_TOKEN: twilio.authToken,
      TWILIO_FROM: '+12025550199',
      TWILIO_API_URL: twilio.url,
      HTTP_CARRIER_URL: gateway.url,
      HTTP_CARRIER_SECRET: gateway.secret,
    },
  }),
);
const shop = fixture(() => stripeShop());
const alice = fixture(() => service.customer('Alice'));

type Inject = Parameters<typeof service.inject>[0];
const quick = (request: Exclude<Inject, string>, on: Pick<typeof service, 'inject'> = service) =>
  expectQuick(
    `${request.method} ${String(request.url).slice(0, 60)} ${JSON.stringify(request.payload)?.slice(0, 80)}`,
    () => on.inject(request),
  );

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

/** The names of the fields of a body or a query. */
const fieldsOf = (schema: Route['body']): string[] =>
  Object.keys((schema as { shape?: object } | undefined)?.shape ?? {});

/** Bodies of this size: the unit alone, as a JSON text, in an object, and as a field of a form. */
const bodiesOf = (unit: string, size: number) => {
  const text = repeated(unit, size - 20);
  return [
    { headers: JSON_TYPE, payload: text },
    { headers: JSON_TYPE, payload: JSON.stringify({ id: repeated(unit, size / 8) }) },
    { headers: FORM_TYPE, payload: text },
    { headers: FORM_TYPE, payload: `To=${text}` },
  ];
};

const BODY_DOORS: [url: string, size: number][] = [
  [`${API_BASE}/carriers/twilio/status/`, 64 * KIB],
  [`${API_BASE}/carriers/twilio/inbound/`, 64 * KIB],
  [`${API_BASE}/carriers/http/status/`, 64 * KIB],
  [`${API_BASE}/carriers/http/inbound/`, 64 * KIB],
  [`${TWILIO_PATH}/v2/Services`, 16 * KIB],
  ['/compat/camara/one-time-password-sms/v1/send-code', 64 * KIB],
  [`${API_BASE}/nothing`, 64 * KIB],
];

describe('texts of strangers', () => {
  test.each(BODY_DOORS)(
    'the largest bodies of repeated texts to %s are read in linear time',
    async (url, size) => {
      for (const unit of FEW_UNITS)
        for (const body of bodiesOf(unit, size)) await quick({ method: 'POST', url, ...body });
    },
  );

  test("the largest bodies of repeated texts to Stripe's webhook are read in linear time", async () => {
    for (const unit of FEW_UNITS)
      for (const [n, { headers, payload }] of bodiesOf(unit, 1_000 * KIB).entries())
        if (n !== 1)
          await quick(
            {
              method: 'POST',
              url: STRIPE_WEBHOOK_PATH,
              headers: { ...headers, 'stripe-signature': repeated(unit, 16 * KIB) },
              payload,
            },
            shop.service,
          );
  });

  test('the largest bodies of repeated texts to the address of a connection are read in linear time', async () => {
    const bearer = await signedIn(service, alice);
    for (const system of ['supabase', 'keycloak', 'twilio-messages'] as const)
      await service.call(createConnection, { bearer, body: { system, name: system } });
    const { results } = (await service.call(listConnections, { bearer })).body;
    for (const { endpoints } of results)
      for (const unit of FEW_UNITS)
        for (const body of bodiesOf(unit, 16 * KIB))
          await quick({ method: 'POST', url: new URL(endpoints[0]?.url ?? '').pathname, ...body });
  });

  test('repeated texts in each field of every call without authentication are read in linear time', async () => {
    for (const route of routes.filter(({ auth }) => auth === 'none')) {
      const [fields, query] = [fieldsOf(route.body), fieldsOf(route.query)];
      const url = API_BASE + route.path.replaceAll(/:\w+/g, 'x');
      // The first call of a route loads its packages.
      await service.inject({ method: route.method, url });
      for (const unit of FEW_UNITS) {
        const text = repeated(unit, (50 * KIB) / Math.max(1, fields.length) / Buffer.byteLength(unit));
        const asked = query.map((name) => `${name}=${encodeURIComponent(text.slice(0, 2_000))}`).join('&');
        await quick({
          method: route.method,
          url: `${url}?${asked}`,
          ...(fields.length === 0 ? {} : { payload: Object.fromEntries(fields.map((name) => [name, text])) }),
        });
      }
    }
  });

  const HEADERS = [
    'accept',
    'accept-language',
    'authorization',
    'cookie',
    'content-type',
    'forwarded',
    'host',
    'idempotency-key',
    'if-none-match',
    'last-event-id',
    'origin',
    'range',
    'referer',
    'user-agent',
    'x-account',
    'x-api-key',
    'x-correlator',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
  ];
  const PATHS = [
    ['GET', '/'],
    ['GET', '/docs/keys.md'],
    ['GET', '/config.json'],
    ['GET', '/healthz'],
    ['GET', '/metrics'],
    ['GET', `${API_BASE}/users/me/`],
    ['GET', `${API_BASE}/otp/x/`],
    ['GET', `${TWILIO_PATH}/v2/Attempts`],
    ['POST', '/compat/camara/one-time-password-sms/v1/validate-code'],
    ['POST', `${API_BASE}/auth/sign-in/`],
  ] as const;

  test.each(PATHS)(
    'repeated texts in the headers and the query of %s %s are read in linear time',
    async (method, path) => {
      const units = FEW_UNITS.filter((unit) => /^[\t\x20-\x7e\xa0-\xff]+$/.test(unit));
      for (const unit of units) {
        const text = repeated(unit, 16 * KIB);
        // With an end that does not match, a search tries every beginning.
        for (const end of ['', '\u00ffx'])
          await quick({
            method,
            url: `${path}?q=${encodeURIComponent(text.slice(0, 5_000))}&redirect_uri=${repeated('%25', 5_000)}`,
            headers: Object.fromEntries(
              HEADERS.filter((name) => method === 'GET' || name !== 'content-type').map((name) => [
                name,
                text + end,
              ]),
            ),
          });
        for (const scheme of ['Bearer ', 'Basic '])
          await quick({ method, url: path, headers: { authorization: scheme + text } });
      }
    },
  );
});

test('repeated texts in each field of a send are read in linear time', async () => {
  const fields = fieldsOf(sendOtp.body);
  for (const unit of FEW_UNITS)
    for (const characters of [900, 15_000 / Buffer.byteLength(unit)])
      for (const field of fields)
        for (const [before, after] of [
          ['', ''],
          ['a.b {code} ', 'x'],
        ])
          await quick({
            method: 'POST',
            url: API_BASE + sendOtp.path,
            headers: { 'x-api-key': alice.api_key },
            payload: {
              channel: 'email',
              recipient: 'ann@example.com',
              [field]: `${before}${repeated(unit, characters)}${after}`,
            },
          });
});

test('the hosts in the longest messages of repeated texts are found in linear time', async () => {
  const pairs = [
    '\u00ad\u034f',
    '.\u00ad',
    'a.\u00ad',
    '\u200d\ufe0f',
    'a.a@',
    '-.',
    '_-',
    '1.1.',
    ':\\',
    'é.a',
  ];
  for (const unit of [...UNITS, ...pairs])
    for (const [before, after] of [
      ['', ''],
      ['a.com ', ' x'],
      ['http://a', '\u00ff'],
      ['a.b ', 'x.'],
    ])
      await expectQuick(`the hosts of ${before}${unit}…`, () =>
        firstForeignHost(`${before}${repeated(unit, 980)}${after}`, []),
      );
});

test('a secret of any repeated text is read in linear time', async () => {
  for (const unit of UNITS)
    for (const [before, after] of [
      ['', ''],
      ['whsec_', 'x'],
      ['x', 'x'],
    ])
      await expectQuick(`the secret ${unit}…`, () => readSecret(`${before}${repeated(unit, 200)}${after}`));
  expect(readSecret(`'${'x'.repeat(32)}'`)).toEqual({ secret: 'x'.repeat(32) });
});
