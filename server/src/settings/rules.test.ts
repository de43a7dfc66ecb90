import { describe, expect, test } from 'vitest';
import { PRODUCTION, problemsOf, SMTP } from '../../test/settings.ts';
import { readConfig } from './settings.ts';

const TWILIO = {
  TWILIO_ACCOUNT_SID: 'AC00000000000000000000000000000000',
  TWILIO_AUTH_TOKEN: 'a token',
  TWILIO_FROM: '+15551234567',
};
const STRIPE = {
  STRIPE_SECRET_KEY: 'sk_live_1',
  STRIPE_PUBLISHABLE_KEY: 'pk_live_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
};

test('production starts with a key, an address and a way to deliver its own codes', () => {
  expect(readConfig(PRODUCTION)).toMatchObject({
    production: true,
    sandbox: false,
    welcomeCredits: 0,
    webhookAllowPrivate: false,
    supportEmail: 'support@otp.example.com',
  });
});

test('production without a key, an address or a way to deliver is refused, and the report lists all that is missing', () => {
  const problems = problemsOf({ NODE_ENV: 'production' });
  expect(problems).toHaveLength(3);
  expect(problems.join('\n')).toMatch(/SECRET_KEY is missing[\s\S]*PUBLIC_URL is missing[\s\S]*SMTP_URL/);
});

test('production accepts SMS as the only way to deliver its codes, but not voice', () => {
  const { SMTP_URL, EMAIL_FROM, ...base } = PRODUCTION;
  expect(problemsOf({ ...base, ...TWILIO })).toEqual([]);
  const voiceAlone = problemsOf({ ...base, ...TWILIO, SMS_CARRIERS: 'http' });
  expect(voiceAlone.join('\n')).toContain("nothing can deliver the dashboard's own codes");
  // A list that names nothing counts as unset.
  expect(problemsOf({ ...base, ...TWILIO, SMS_CARRIERS: ',' })).toEqual([]);
});

test('production with SANDBOX=1 is a demonstration and needs no other setting', () => {
  expect(readConfig({ NODE_ENV: 'production', SANDBOX: '1' })).toMatchObject({
    production: true,
    sandbox: true,
    welcomeCredits: 25,
  });
});

test('production needs a sender for its mail', () => {
  const { EMAIL_FROM, ...base } = PRODUCTION;
  expect(problemsOf(base)).toEqual(['EMAIL_FROM is missing: SMTP_URL needs a sender.']);
});

describe('test cards never pay for real messages on a public deployment', () => {
  const HTTP = { HTTP_CARRIER_URL: 'https://sms.example.com', HTTP_CARRIER_SECRET: 'n3VQ0yq7sX2mJc8LrZ1f' };
  const PUBLIC = { PUBLIC_URL: 'https://otp.example.com' };
  const TEST = { ...STRIPE, STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_PUBLISHABLE_KEY: 'pk_test_1' };

  test.each<[string, Record<string, string>]>([
    ['SMTP', { ...PUBLIC, ...SMTP }],
    ['Twilio', { ...PUBLIC, ...TWILIO }],
    ['an HTTP carrier', { ...PUBLIC, ...HTTP }],
    ['a carrier of one channel', { ...PUBLIC, ...TWILIO, SMS_CARRIERS: 'sandbox' }],
    ['an address of the network', { HOST: '192.0.2.1', ...TWILIO }],
    ['a proxy', { TRUSTED_PROXIES: 'loopback', ...TWILIO }],
    ['an API host', { API_URL: 'https://api.example.com', ...TWILIO }],
    ['a list that names nothing', { ...PUBLIC, ...TWILIO, SMS_CARRIERS: ',', VOICE_CARRIERS: ',' }],
  ])('a public sandbox with %s is refused', (_, env) => {
    expect(problemsOf(env)).toEqual([
      expect.stringMatching(/^Cards are test cards in a sandbox, and others can reach.* Set SANDBOX=0, or/),
    ]);
  });

  test.each<[string, Record<string, string>]>([
    ['a secret key', { ...STRIPE, STRIPE_SECRET_KEY: 'sk_test_1' }],
    ['a restricted key', { ...STRIPE, STRIPE_SECRET_KEY: 'rk_test_1' }],
    ['a publishable key', { ...STRIPE, STRIPE_PUBLISHABLE_KEY: 'pk_test_1' }],
    ['both keys', TEST],
  ])("Stripe's test mode is refused by %s", (_, keys) => {
    for (const env of [{}, { SANDBOX: '0' }])
      expect(problemsOf({ ...PUBLIC, ...SMTP, ...env, ...keys })).toEqual([
        expect.stringMatching(/Stripe test keys?, and others can reach.*by smtp\. Set Stripe's live keys/),
      ]);
    expect(problemsOf({ ...PRODUCTION, ...keys })).toEqual([
      expect.stringMatching(/Stripe test keys?, and production takes real cards/),
    ]);
    expect(problemsOf({ NODE_ENV: 'production', SANDBOX: '1', ...keys })).toHaveLength(1);
  });

  test.each<[string, Record<string, string>]>([
    ['on this machine alone', { ...TWILIO, ...SMTP }],
    ['on this machine alone with test keys', { ...TWILIO, ...TEST }],
    ['by its name', { ...TWILIO, HOST: 'localhost' }],
    ['with real cards', { ...PUBLIC, ...TWILIO, ...STRIPE }],
    ['outside a sandbox', { ...PUBLIC, ...TWILIO, ...PRODUCTION }],
    ['without cards', { ...PUBLIC, ...TWILIO, SANDBOX: '0' }],
    ['without a carrier', { ...PUBLIC, HOST: '0.0.0.0', TRUSTED_PROXIES: 'loopback' }],
    ['with test keys and without a carrier', { ...PUBLIC, ...TEST }],
    [
      'where every message goes to the inbox',
      {
        ...PUBLIC,
        ...TWILIO,
        ...SMTP,
        SMS_CARRIERS: 'sandbox',
        VOICE_CARRIERS: 'sandbox',
        EMAIL_CARRIERS: 'sandbox',
      },
    ],
  ])('not %s', (_, env) => {
    expect(problemsOf(env)).toEqual([]);
  });
});

test('webhooks never reach private hosts on a public deployment', () => {
  expect(readConfig({ WEBHOOK_ALLOW_PRIVATE: '1' }).webhookAllowPrivate).toBe(true);
  expect(readConfig({ HOST: '0.0.0.0' }).webhookAllowPrivate).toBe(false);
  expect(readConfig({ PUBLIC_URL: 'https://otp.example.com' }).webhookAllowPrivate).toBe(false);
  for (const exposed of [{ HOST: '0.0.0.0' }, { TRUSTED_PROXIES: 'loopback' }, PRODUCTION])
    expect(problemsOf({ ...exposed, WEBHOOK_ALLOW_PRIVATE: '1' })).toEqual([
      expect.stringMatching(/^WEBHOOK_ALLOW_PRIVATE=1 would let customers reach private hosts/),
    ]);
});

describe('a deployment is public', () => {
  test.each<[string, Record<string, string>]>([
    ['without settings', {}],
    ['on a loopback address', { HOST: '::1', PUBLIC_URL: 'http://[::1]:3000', API_URL: 'http://127.8.9.1' }],
    ['by a name of this machine', { HOST: 'localhost', PUBLIC_URL: 'http://codes.localhost:3000/' }],
  ])('not %s', (_, env) => {
    expect(readConfig(env).isPublic).toBe(false);
  });

  test.each<[string, Record<string, string>]>([
    ['with an address that people open', { PUBLIC_URL: 'https://otp.example.com' }],
    ['with a name that only looks local', { PUBLIC_URL: 'http://127.example.com' }],
    ['with another name that only looks local', { PUBLIC_URL: 'http://localhost.example.com' }],
    ['with an API host', { API_URL: 'https://api.example.com' }],
    ['on every address', { HOST: '0.0.0.0' }],
    ['on every IPv6 address', { HOST: '::' }],
    ['on an address of the network', { HOST: '192.168.1.4' }],
    ['on a name', { HOST: 'otp.example.com' }],
    ['behind a proxy', { TRUSTED_PROXIES: 'loopback' }],
  ])('%s', (_, env) => {
    expect(readConfig(env).isPublic).toBe(true);
  });
});

describe('production needs a server key that is hard to guess', () => {
  test.each(['changeme-changeme-changeme', 'this is the secret key of our service', 'a'.repeat(64)])(
    '%s is refused',
    (SECRET_KEY) => {
      expect(problemsOf({ ...PRODUCTION, SECRET_KEY })).toEqual([
        expect.stringMatching(
          /^SECRET_KEY (is easy to guess|has only \d different).*openssl rand -base64 32/,
        ),
      ]);
      expect(problemsOf({ ...PRODUCTION, SANDBOX: '1', EMAIL_CARRIERS: 'sandbox', SECRET_KEY })).toHaveLength(
        1,
      );
      expect(problemsOf({ SECRET_KEY })).toEqual([]);
      expect(problemsOf({ ...PRODUCTION, SECRET_KEY_PREVIOUS: SECRET_KEY })).toEqual([]);
    },
  );
});

describe('production is reached over https', () => {
  test.each(['PUBLIC_URL', 'API_URL'])('an http %s is refused unless ALLOW_HTTP=1', (name) => {
    const env = { ...PRODUCTION, [name]: 'http://otp.example.com' };
    expect(problemsOf(env)).toEqual([expect.stringMatching(`^${name} is not https.*ALLOW_HTTP=1$`)]);
    expect(problemsOf({ ...env, ALLOW_HTTP: '1' })).toEqual([]);
    expect(problemsOf({ ...PRODUCTION, [name]: 'http://127.0.0.1:3000' })).toEqual([]);
    expect(problemsOf({ [name]: 'http://otp.example.com' })).toEqual([]);
  });
});
