import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { PRODUCTION, problemsOf, SMTP } from '../../test/settings.ts';
import { apiBase } from '../platform/config.ts';
import { LIVE_SETTING_NAMES, readConfig, SETTING_NAMES } from './settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('without any setting, the service is a sandbox on this machine', () => {
  expect(readConfig({})).toMatchObject({
    sandbox: true,
    production: false,
    port: 3000,
    workerPort: undefined,
    host: '127.0.0.1',
    brandName: 'Sixdigit',
    allowedCountries: ['US', 'CA'],
    welcomeCredits: 25,
    cell: '00',
    retentionDays: 400,
    logRetentionDays: 90,
    recipientRetentionDays: 90,
    webhookAllowPrivate: true,
    ssoPrivateOrigins: [],
    publicInbox: false,
    publicMetrics: false,
    secretKey: undefined,
    stripe: undefined,
  });
});

test('an empty setting counts as unset', () => {
  const empty = Object.fromEntries(SETTING_NAMES.map((name) => [name, ' ']));
  expect(readConfig(empty)).toEqual(readConfig({}));
});

test('the README names exactly the settings that operators can override', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8');
  const section = /operators override these settings([\s\S]*?)\n\n/.exec(readme)?.[1] ?? '';
  const named = [...section.matchAll(/`([A-Z0-9_]+)`/g)].map(([, name]) => name);
  expect(named).toEqual(LIVE_SETTING_NAMES);
});

test.each([
  ['PORT', 0, 65_535],
  ['WORKER_PORT', 0, 65_535],
  ['STOP_DELAY_SECONDS', 0, 60],
  ['SMS_MAX_SEGMENTS', 1, 10],
  ['VOICE_MAX_SECONDS', 10, 300],
  ['RECIPIENT_SENDS_PER_10_MIN', 1, 1_000],
  ['RECIPIENT_SENDS_PER_DAY', 1, 1_000],
  ['NUMBER_SENDS_PER_10_MIN', 1, 10_000],
  ['NUMBER_SENDS_PER_DAY', 1, 10_000],
  ['OWN_SMS_PER_HOUR', 1, 10_000],
  ['RETENTION_DAYS', 1, 36_500],
  ['LOG_RETENTION_DAYS', 1, 36_500],
  ['RECIPIENT_RETENTION_DAYS', 30, 36_500],
  ['WELCOME_CREDITS', 0, 1_000_000],
  ['AUTO_PURCHASES_PER_DAY', 1, 100],
  ['DASHBOARD_REQUESTS_PER_SECOND', 10, 1_000_000],
])('%s is a whole number from %i to %i', (name, least, most) => {
  const problems = (value: number) => problemsOf({ [name]: String(value) });
  const ownProblem = [expect.stringMatching(`^${name} must be`)];
  for (const value of [least, most])
    expect(problems(value).filter((problem) => problem.startsWith(`${name} must be`))).toEqual([]);
  expect(problems(least - 1)).toEqual(ownProblem);
  expect(problems(most + 1)).toEqual(ownProblem);
  expect(problems(least + 0.5)).toEqual(ownProblem);
});

describe('every setting can come from a file', () => {
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

  test.each([...SETTING_NAMES])('%s_FILE sets the setting from a file', (name) => {
    expect(problemsOf({ [`${name}_FILE`]: join(folder, 'none') })).toEqual([
      expect.stringMatching(`^${name}_FILE cannot be read`),
    ]);
  });

  test('the final line break of a setting file is ignored', () => {
    const path = file('key', 'sixteen characters and more\r\n');
    expect(readConfig({ SECRET_KEY_FILE: path }).secretKey).toBe('sixteen characters and more');
    expect(readConfig({ PORT_FILE: file('port', '4000\n') }).port).toBe(4000);
  });

  test.each([...SETTING_NAMES])('%s can come from a file in systemd’s folder of credentials', (name) => {
    const credentials = mkdtempSync(join(folder, 'credentials-'));
    const credential = join(credentials, `secrets_${name.toLowerCase()}`);
    mkdirSync(credential);
    const problems = problemsOf({ CREDENTIALS_DIRECTORY: credentials });
    expect(problems[0]).toMatch(`the credential secrets_${name.toLowerCase()} cannot be read`);
    rmSync(credential, { recursive: true });
    expect(problemsOf({ CREDENTIALS_DIRECTORY: credentials })).toEqual(problemsOf({}));
  });

  test('setting a value and its file together is refused', () => {
    const problems = problemsOf({ PORT: '1', PORT_FILE: file('port', '2') });
    expect(problems).toEqual(['PORT and PORT_FILE are both set; remove one']);
  });
});

test.each([
  ['ALLOWED_COUNTRIES', 'US,ZZ'],
  ['ALLOWED_COUNTRIES', '*,XX'],
  ['DEFAULT_REGION', 'ZZ'],
  ['DEFAULT_REGION', 'AQ'],
])('%s=%s names a country without phone numbers and is refused', (name, value) => {
  const sentence = `${name} must name countries with phone numbers, such as US`;
  expect(problemsOf({ [name]: value })).toEqual([sentence]);
});

test.each(['0', '000', '0-', 'é0', ' 0'])('CELL=%j is not two base62 characters and is refused', (value) => {
  expect(problemsOf({ CELL: value })).toEqual(['CELL must be two characters of 0-9, A-Z and a-z']);
});

describe('all problems are reported at once', () => {
  test('problems of single settings and their combinations are reported together', () => {
    const problems = problemsOf({
      NODE_ENV: 'production',
      PORT: '70000',
      WORKER_PORT: '-1',
      PUBLIC_URL: 'otp.example.com',
      DATABASE_URL: 'mysql://db',
      LOG_LEVEL: 'loud',
      TRUSTED_PROXIES: '10.0.0.0/8, everybody',
      ALLOWED_COUNTRIES: 'usa',
      TWILIO_AUTH_TOKEN: 'a token',
      STRIPE_SECRET_KEY: 'sk_live_1',
      SECRET_KEY_PREVIOUS: 'short',
      SMS_CARRIERS: 'pigeon',
      SECRET_KEY_FILE: join(folder, 'none'),
    });
    for (const name of [
      'PORT',
      'WORKER_PORT',
      'PUBLIC_URL',
      'DATABASE_URL',
      'LOG_LEVEL',
      'TRUSTED_PROXIES',
      'ALLOWED_COUNTRIES',
      'TWILIO_ACCOUNT_SID',
      'STRIPE_PUBLISHABLE_KEY',
      'SECRET_KEY_PREVIOUS',
      'SMS_CARRIERS',
      'SECRET_KEY_FILE',
    ])
      expect(problems.filter((line) => line.includes(name)).length, name).toBeGreaterThan(0);
  });

  test('each problem of the settings is reported once, without its consequences', () => {
    const wrong = problemsOf({ ...PRODUCTION, PUBLIC_URL: 'nowhere', SECRET_KEY: 'short' });
    expect(wrong).toEqual([
      'PUBLIC_URL must be an absolute http or https URL',
      'SECRET_KEY must be at least 16 characters long',
    ]);
  });

  test('no reported problem contains the value of a setting', () => {
    const canary = 'a-canary:/\\@';
    for (const name of SETTING_NAMES) {
      const text = problemsOf({ ...PRODUCTION, [name]: canary }).join('\n');
      // Names of carriers are not secret, and the report names the unknown one.
      if (!name.endsWith('_CARRIERS')) expect(text).not.toContain(canary);
    }
  });
});

test.each(['C\u202elive', 'Acme\u2028Bank', 'Ac\u200bme', 'pay@bank.example'])(
  'the brand %j is refused',
  (brand) => {
    expect(problemsOf({ BRAND_NAME: brand })).toEqual(['BRAND_NAME must be plain text']);
  },
);

test('if part of a group of settings is missing, the error names it', () => {
  const twilio = problemsOf({ TWILIO_FROM: '+15551234567' }).join('\n');
  expect(twilio).toMatch(/TWILIO_ACCOUNT_SID[\s\S]*TWILIO_AUTH_TOKEN/);
  expect(problemsOf({ HTTP_CARRIER_URL: 'https://sms.example.com' })).toEqual([
    expect.stringContaining('HTTP_CARRIER_SECRET is missing'),
  ]);
  expect(problemsOf({ STRIPE_SECRET_KEY: 'sk_test_1' })).toEqual([
    expect.stringContaining('missing: STRIPE_PUBLISHABLE_KEY, STRIPE_WEBHOOK_SECRET'),
  ]);
});

test('every spelling of API_URL gives the same API address', () => {
  const base = (env: Record<string, string>) => apiBase(readConfig(env));
  expect(base({ PUBLIC_URL: 'https://otp.example.com/' })).toBe('https://otp.example.com/api/v1');
  expect(base({ PUBLIC_URL: 'https://otp.example.com', API_URL: 'https://api.example.com' })).toBe(
    'https://api.example.com/api/v1',
  );
  expect(base({ API_URL: 'https://api.example.com/api/v1/' })).toBe('https://api.example.com/api/v1');
});

test('TRUSTED_PROXIES accepts only addresses, ranges and known names', () => {
  const proxies = '127.0.0.1, 10.0.0.0/8, fd00::/8, loopback';
  expect(readConfig({ TRUSTED_PROXIES: proxies }).trustedProxies).toHaveLength(4);
  for (const wrong of ['*', 'true', 'proxy.internal', '10.0.0.0/99'])
    expect(problemsOf({ TRUSTED_PROXIES: wrong })).toHaveLength(1);
});

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

test('production starts with a server key and an address', () => {
  expect(readConfig(PRODUCTION)).toMatchObject({
    production: true,
    sandbox: false,
    welcomeCredits: 0,
    webhookAllowPrivate: false,
    supportEmail: 'support@otp.example.com',
  });
});

test('production without a server key or an address is refused with a list of everything missing', () => {
  const problems = problemsOf({ NODE_ENV: 'production' });
  expect(problems).toHaveLength(2);
  expect(problems.join('\n')).toMatch(/SECRET_KEY is missing[\s\S]*PUBLIC_URL is missing/);
});

test('production starts without a carrier, because operators can add carriers in the console', () => {
  const { SMTP_URL, EMAIL_FROM, ...base } = PRODUCTION;
  expect(problemsOf(base)).toEqual([]);
  expect(problemsOf({ ...base, ...TWILIO })).toEqual([]);
  // A list that names nothing counts as unset.
  expect(problemsOf({ ...base, ...TWILIO, SMS_CARRIERS: ',' })).toEqual([]);
});

test('production with SANDBOX=1 starts as a sandbox without any other setting', () => {
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
  ])('a public sandbox with test cards and %s is refused', (_, env) => {
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

test('WEBHOOK_ALLOW_PRIVATE is refused on a public deployment', () => {
  expect(readConfig({ WEBHOOK_ALLOW_PRIVATE: '1' }).webhookAllowPrivate).toBe(true);
  expect(readConfig({ HOST: '0.0.0.0' }).webhookAllowPrivate).toBe(false);
  expect(readConfig({ PUBLIC_URL: 'https://otp.example.com' }).webhookAllowPrivate).toBe(false);
  for (const exposed of [{ HOST: '0.0.0.0' }, { TRUSTED_PROXIES: 'loopback' }, PRODUCTION])
    expect(problemsOf({ ...exposed, WEBHOOK_ALLOW_PRIVATE: '1' })).toEqual([
      expect.stringMatching(/^WEBHOOK_ALLOW_PRIVATE=1 would let customers reach private hosts/),
    ]);
});

test('SSO_PRIVATE_ORIGINS holds origins', () => {
  expect(readConfig({}).ssoPrivateOrigins).toEqual([]);
  const origins =
    'https://id.corp.internal, http://10.0.0.7:8080,https://[fd00::7]:443/,HTTPS://ID.Example.com';
  expect(readConfig({ SSO_PRIVATE_ORIGINS: origins }).ssoPrivateOrigins).toEqual([
    'https://id.corp.internal',
    'http://10.0.0.7:8080',
    'https://[fd00::7]',
    'https://id.example.com',
  ]);
  for (const wrong of ['id.example.com', '10.0.0.7', 'https://id/realms', 'ftp://id', '*', 'https://a@b'])
    expect(problemsOf({ SSO_PRIVATE_ORIGINS: wrong })).toEqual([
      'SSO_PRIVATE_ORIGINS must be origins, such as https://id.corp.internal or http://10.0.0.7:8080',
    ]);
});

test('a service with the earlier setting SSO_PRIVATE_HOSTS refuses to start', () => {
  expect(problemsOf({ SSO_PRIVATE_HOSTS: 'id.corp.internal' })).toEqual([
    'SSO_PRIVATE_HOSTS was replaced by SSO_PRIVATE_ORIGINS, with scheme and port: https://id.corp.internal',
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
