import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { doctorRuns, NOWHERE } from '../../../../test/doctor.ts';
import { selfSigned } from '../../../../test/fakes/certificate.ts';
import { startHttpCarrier } from '../../../../test/fakes/http-carrier.ts';
import { listen } from '../../../../test/fakes/http-listener.ts';
import { startReverseProxy } from '../../../../test/fakes/reverse-proxy.ts';
import { startSmtp } from '../../../../test/fakes/smtp.ts';
import { startFakeStripe } from '../../../../test/fakes/stripe/stripe.ts';
import { startTwilio } from '../../../../test/fakes/twilio.ts';
import { fixture } from '../../../../test/fixture.ts';
import { testService } from '../../../../test/service.ts';
import { callbackFindings } from '../../../messaging/carriers/kinds/twilio/examine.ts';
import { arrivalFindings } from './public-url.ts';

const { printed } = doctorRuns();

test('the doctor runs all other checks while the database is unavailable', async () => {
  const { code, text } = await printed({
    RETENTION_DAYS: '0',
    LOG_LEVEL: 'loud',
    DATABASE_URL: NOWHERE,
    TWILIO_FROM: '+15551234567',
  });
  expect(code).toBe(1);
  expect(text).toContain('problem  settings: RETENTION_DAYS must be at least 1');
  expect(text).toContain('problem  settings: LOG_LEVEL must be a level');
  expect(text).toContain('problem  settings: TWILIO_ACCOUNT_SID is missing');
  expect(text).toContain('problem  database: It cannot be used: the connection was refused.');
  expect(text).toContain('ok       stripe:');
});

test('the doctor reports no problem for a stopped sandbox', async () => {
  const { code, text } = await printed({});
  expect(text).toMatch(/warning {2}database: The embedded PostgreSQL of .* does not run/);
  expect(code).toBe(0);
});

test('the doctor prints no secrets', async () => {
  const secrets = {
    SECRET_KEY: 'server-key-canary',
    TWILIO_AUTH_TOKEN: 'carrier-token-canary',
    HTTP_CARRIER_SECRET: 'whsec_bad base64 canary',
    STRIPE_SECRET_KEY: 'stripe-key-canary',
    STRIPE_WEBHOOK_SECRET: 'stripe-webhook-canary',
  };
  const { text } = await printed({
    ...secrets,
    DATABASE_URL: NOWHERE,
    MIGRATE_DATABASE_URL: 'postgres://me:other%2Dpassword@127.0.0.1:8/nothing',
    SMTP_URL: 'smtp://user:mail%2Dpassword@127.0.0.1:8',
    EMAIL_FROM: 'a@acme.test',
    TWILIO_ACCOUNT_SID: 'AC1',
    TWILIO_FROM: '+12025550199',
    TWILIO_API_URL: 'http://127.0.0.1:8',
    HTTP_CARRIER_URL: 'http://127.0.0.1:8/send?token=in-the-address',
    STRIPE_PUBLISHABLE_KEY: 'pk_test_x',
    STRIPE_API_URL: 'http://127.0.0.1:8',
  });
  for (const secret of [
    ...Object.values(secrets),
    ...['a-password-of-mine', 'mail-password', 'mail%2Dpassword', 'other-password', 'in-the-address'],
  ])
    expect(text).not.toContain(secret);
  expect(text).toContain('problem  mail: 127.0.0.1:8 cannot be used: the connection was refused.');
  expect(text).toContain('problem  twilio: 127.0.0.1:8 cannot be reached: the connection was refused.');
  expect(text).toContain('problem  http carrier: 127.0.0.1:8 cannot be reached: the connection was refused.');
  expect(text).toContain('problem  stripe: Stripe cannot be reached: the connection was refused.');
});

const { found } = doctorRuns();

const mail = (SMTP_URL: string) => found('mail', { SMTP_URL, EMAIL_FROM: 'Acme <codes@acme.test>' });

test('the doctor tests the SMTP login without sending mail', async () => {
  await using smtp = await startSmtp({ tls: 'starttls', login: { user: 'me', pass: 'mail password' } });
  expect(await mail(smtp.url)).toEqual([`ok: 127.0.0.1:${smtp.port} accepts the login, over TLS.`]);
  expect(smtp.mails).toEqual([]);
  const wrong = smtp.url.replace('mail%20password', 'another%20one');
  expect((await mail(wrong)).join()).toContain('refuses the login (SMTP 535)');
  await using implicit = await startSmtp({ tls: 'implicit' });
  expect(await mail(implicit.url)).toEqual([
    `ok: 127.0.0.1:${implicit.port} accepts mail without a login, over TLS.`,
  ]);
});

test('the doctor accepts a mail server without TLS on this machine and warns about others', async () => {
  await using smtp = await startSmtp();
  expect((await mail(smtp.url)).join()).toContain('ok: ');
  const elsewhere = smtp.url.replace('127.0.0.1', '0.0.0.0');
  expect((await mail(elsewhere)).join()).toMatch(/^warning: .* codes travel to it unencrypted/);
});

test('the doctor explains an untrusted mail server certificate', async () => {
  await using smtp = await startSmtp({ tls: 'implicit' });
  const strict = `${smtp.url}?tls.rejectUnauthorized=true`;
  expect((await mail(strict)).join()).toMatch(/its TLS certificate (is self-signed|has expired)/);
});

test('the doctor checks the credentials of Twilio by reading the account', async () => {
  await using twilio = await startTwilio();
  const env = {
    TWILIO_ACCOUNT_SID: twilio.accountSid,
    TWILIO_AUTH_TOKEN: twilio.authToken,
    TWILIO_FROM: '+12025550199',
    TWILIO_API_URL: twilio.url,
  };
  const say = async (more = {}) => (await found('twilio', { ...env, ...more })).join();
  expect(await say()).toMatch(/^ok: .* accepts the credentials\.$/);
  expect(await say({ TWILIO_AUTH_TOKEN: 'another token' })).toMatch(
    /^problem: .* refuses the account or its token/,
  );
  expect(await say({ TWILIO_API_URL: `${twilio.url}/elsewhere` })).toMatch(
    /^warning: .* finds no such account/,
  );
  expect(await say({ TWILIO_FROM: 'Acme' })).toMatch(/Twilio: These countries .* from a name: US, CA\./);
  twilio.everyone = 'error';
  expect(await say()).toMatch(/^problem: .* responds with HTTP 500/);
  twilio.everyone = undefined;
  twilio.about.type = 'Trial';
  expect(await say()).toMatch(/^warning: .* is a trial/);
  twilio.about.status = 'suspended';
  expect(await say()).toMatch(/^problem: The account is suspended/);
  expect(twilio.messages).toEqual([]);
});

test('the doctor warns about Twilio without a public address for its reports', () => {
  expect(callbackFindings('http://localhost:3000/api/v1', 'https://api.twilio.com')).toMatchObject([
    { level: 'warning', says: expect.stringContaining('without delivery reports') },
  ]);
  expect(callbackFindings('https://otp.example.com/api/v1', 'https://api.twilio.com')).toEqual([]);
});

test('the doctor checks that an HTTP carrier responds', async () => {
  await using carrier = await startHttpCarrier();
  const say = async (HTTP_CARRIER_URL: string) =>
    (await found('http carrier', { HTTP_CARRIER_URL, HTTP_CARRIER_SECRET: carrier.secret })).join();
  expect(await say(carrier.url)).toMatch(/^ok: /);
  expect(carrier.messages).toEqual([]);
  const broken = await listen(() => ({ status: 502, body: {} }));
  expect(await say(broken.origin)).toMatch(/^warning: .* responds with HTTP 502/);
  await broken.close();
  expect(await say('http://no-such-host.invalid/')).toMatch(/^problem: .* its host name does not resolve/);
});

test('the doctor checks that the Stripe keys belong together and tests the secret key', async () => {
  await using stripe = await startFakeStripe();
  const env = {
    STRIPE_SECRET_KEY: stripe.secretKey,
    STRIPE_PUBLISHABLE_KEY: stripe.publishableKey,
    STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
    STRIPE_API_URL: stripe.url,
  };
  const say = (more = {}) => found('stripe', { ...env, ...more });
  expect(await say()).toEqual(['ok: Stripe accepts the secret key.']);
  expect((await say({ STRIPE_SECRET_KEY: 'sk_test_another' })).join()).toContain(
    'problem: Stripe refuses the secret key.',
  );
  expect((await say({ STRIPE_PUBLISHABLE_KEY: 'pk_live_other' })).join()).toContain(
    'problem: The secret key is a test key and the publishable key a live key.',
  );
  const mixedUp = await say({ STRIPE_SECRET_KEY: 'pk_test_fake', STRIPE_PUBLISHABLE_KEY: 'sk_test_fake' });
  expect(mixedUp.join()).toMatch(
    /problem: STRIPE_SECRET_KEY does not have the format.*problem: STRIPE_PUBLISHABLE_KEY does not/s,
  );
  expect((await say({ STRIPE_WEBHOOK_SECRET: 'not one' })).join()).toContain(
    'problem: STRIPE_WEBHOOK_SECRET does not have the format of a signing secret.',
  );
  const fault = (status: number, type: string) =>
    stripe.faults.add({
      on: 'GET /v1/payment_intents',
      kind: 'error',
      status,
      times: 2,
      error: { type: type as never, message: 'no' },
    });
  const forbidden = fault(403, 'invalid_request_error');
  expect((await say()).join()).toContain('problem: The secret key may not read payments.');
  forbidden.release();
  fault(500, 'api_error');
  expect((await say()).join()).toContain('problem: Stripe sent an unexpected response (HTTP 500).');
  expect(stripe.requests.every(({ method }) => method === 'GET')).toBe(true);
});

describe('the doctor on the public address', () => {
  const service = fixture(testService);
  const believing = fixture(() => testService({ env: { TRUSTED_PROXIES: 'loopback' } }));
  let origin: string;
  let believingOrigin: string;
  beforeAll(async () => {
    origin = await service.listen();
    believingOrigin = await believing.listen();
  });
  const say = async (PUBLIC_URL: string, env = {}) =>
    (await found('public url', { PUBLIC_URL, ...env })).join();

  test('the doctor recognizes this service at the public address', async () => {
    expect(await say(origin)).toMatch(/^ok: .* leads to this service/);
    expect(await found('api url', { PUBLIC_URL: origin, API_URL: `${origin}/api/v1` })).toHaveLength(1);
  });

  test('the doctor reports a public address that is unreachable, redirects or belongs to another service', async () => {
    expect(await say('http://127.0.0.1:8')).toMatch(
      /^problem: .* cannot be reached from here: the connection was refused/,
    );
    expect(await say(origin, { SECRET_KEY: 'a server key of another service' })).toMatch(
      /^problem: .* responds, but not as this service/,
    );
    const broken = await listen(() => ({ status: 502, body: {} }));
    expect(await say(broken.origin)).toMatch(/^problem: .* responds with HTTP 502/);
    await broken.close();
    const onwards = await listen(() => ({ status: 301, body: {} }));
    expect(await say(onwards.origin)).toMatch(/^problem: .* redirects to another address/);
    await onwards.close();
  });

  test('the probe that the doctor uses refuses unsigned requests', async () => {
    for (const query of [
      '',
      '?nonce=a&at=0&signature=b',
      `?nonce=a&at=${Math.floor(Date.now() / 1000)}&signature=`,
    ])
      expect((await fetch(`${origin}/api/v1/reflection${query}`)).status).toBe(404);
  });

  test('the doctor reports an untrusted certificate at the public address as the cause', async () => {
    const server = createServer(selfSigned(['localhost']), (_request, answer) => answer.end('{}'));
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const { port } = server.address() as AddressInfo;
    expect(await say(`https://localhost:${port}`)).toMatch(/^problem: .* its TLS certificate is not valid/);
    await new Promise((done) => server.close(done));
  });

  test('the doctor reports a public address without https in production', async () => {
    expect(await say('http://codes.example.invalid', { NODE_ENV: 'production' })).toContain(
      'problem: It is not https',
    );
  });

  test('the doctor warns about a local address with a carrier that sends callbacks', async () => {
    const env = { HTTP_CARRIER_URL: 'http://127.0.0.1:8', HTTP_CARRIER_SECRET: 'a secret of the carrier' };
    expect(await say(origin, env)).toContain('warning: It is an address of this machine alone');
  });

  test('the doctor reports a proxy that is not trusted, sends no X-Forwarded-For or adds to it', async () => {
    const client = '203.0.113.9';
    const proxied = async (to: string, rewrite: Parameters<typeof startReverseProxy>[1]) => {
      await using proxy = await startReverseProxy(to, rewrite);
      return await say(proxy.url);
    };
    const replaces = (headers: object) => ({ ...headers, 'x-forwarded-for': client });
    expect(await proxied(believingOrigin, replaces)).toContain(`ok: `);
    const here = (headers: object) => ({ ...headers, 'x-forwarded-for': '127.0.0.1' });
    expect(await proxied(believingOrigin, here)).toContain(`ok: `);
    expect(await proxied(origin, replaces)).toMatch(
      /^problem: All clients seem to come from 127\.0\.0\.1 and share one rate limit, because the proxy is not trusted.* → Set TRUSTED_PROXIES=127\.0\.0\.1/,
    );
    const silent = ({ 'x-forwarded-for': _, ...headers }: Record<string, unknown>) => headers as never;
    expect(await proxied(believingOrigin, silent)).toMatch(/^problem: .* the proxy sends no X-Forwarded-For/);
    const adds = (headers: Record<string, unknown>) =>
      ({ ...headers, 'x-forwarded-for': `${headers['x-forwarded-for']}, 127.0.0.1` }) as never;
    expect(await proxied(believingOrigin, adds)).toMatch(
      /^warning: This machine \(127\.0\.0\.1\) is in TRUSTED_PROXIES/,
    );
  });

  test('the doctor detects a proxy without forwarding headers after a browser has come through it', async () => {
    await using hidden = await testService();
    const here = await hidden.listen();
    const bare = ({ 'x-forwarded-for': _, 'x-forwarded-proto': __, ...headers }: Record<string, unknown>) =>
      ({ ...headers, host: new URL(here).host }) as never;
    expect(await say(here)).toMatch(/^ok: /);
    await using proxy = await startReverseProxy(here, bare);
    await fetch(`${proxy.url}/config.json`, {
      headers: { referer: 'https://otp.example.com/sign-in', 'sec-fetch-site': 'same-origin' },
    });
    expect(await say(here)).toMatch(
      /^problem: Browsers reach it as otp\.example\.com through a proxy that passes none of the usual headers.* → Set PUBLIC_URL/,
    );
  });

  test('the doctor reports a TLS proxy that passes on X-Forwarded-For or does not report https', () => {
    const seen = {
      proof: '',
      ip: '203.0.113.9',
      peer: '10.0.0.2',
      protocol: 'https',
      believed: true,
      forwarded: '203.0.113.9',
      hidden: null,
    };
    const says = (more: object) =>
      arrivalFindings('public url', 'https://otp.example.com', { ...seen, ...more }).map((one) => one.says);
    expect(says({})).toEqual([]);
    expect(says({ ip: '192.0.2.77', forwarded: '192.0.2.77' })[0]).toMatch(/passes on the X-Forwarded-For/);
    expect(says({ protocol: 'http' })[0]).toMatch(/does not report that clients use https/);
  });
});
