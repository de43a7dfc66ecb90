import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendOtp } from '#contract/otp.ts';
import { emptyDatabase, testDatabase } from '../../../test/database.ts';
import { runSql } from '../../../test/database-url.ts';
import { selfSigned } from '../../../test/fakes/certificate.ts';
import { startHttpCarrier } from '../../../test/fakes/http-carrier.ts';
import { listen } from '../../../test/fakes/http-listener.ts';
import { startPooler } from '../../../test/fakes/pooler.ts';
import { startReverseProxy } from '../../../test/fakes/reverse-proxy.ts';
import { startSmtp } from '../../../test/fakes/smtp.ts';
import { startFakeStripe } from '../../../test/fakes/stripe/stripe.ts';
import { startTwilio } from '../../../test/fakes/twilio.ts';
import { TEST_KEY_COST, TEST_SECRET_KEY, type TestService, testService } from '../../../test/service.ts';
import { systemClock } from '../../platform/clock.ts';
import { startWork } from '../../platform/queue/work.ts';
import { clockFinding } from './database-clock.ts';
import { diskSpaceOf } from './disk-space.ts';
import { doctorCommand, examine } from './doctor.ts';
import { arrivalFindings } from './public-url.ts';
import { capacityFindings, durabilityFindings, type ServerFacts } from './server-settings.ts';
import { callbackFindings } from './twilio.ts';

const NOWHERE = 'postgres://someone:a-password-of-mine@127.0.0.1:8/nothing';
const KEY = TEST_SECRET_KEY;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'doctor-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Without the words of other checks: what is found about one thing, line by line. */
async function found(
  about: string,
  env: Record<string, string>,
  clock: { now(): Date } = systemClock,
): Promise<string[]> {
  const findings = await examine(
    { DATA_DIR: folder, PORT: '0', SECRET_KEY: KEY, ...env },
    { clock, keyCost: TEST_KEY_COST },
  );
  return findings
    .filter((finding) => finding.about === about)
    .map(({ level, says, advice }) => `${level}: ${says}${advice ? ` → ${advice}` : ''}`);
}

async function printed(env: Record<string, string>): Promise<{ code: number; text: string }> {
  const lines: string[] = [];
  const code = await doctorCommand({ DATA_DIR: folder, PORT: '0', ...env }, (line) => lines.push(line));
  return { code, text: lines.join('\n') };
}

describe('the doctor on settings', () => {
  test('reports every problem while the database is unavailable, and runs the other checks', async () => {
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

  test('reports no problem for a stopped sandbox', async () => {
    const { code, text } = await printed({});
    expect(text).toMatch(/warning {2}database: The embedded PostgreSQL of .* does not run/);
    expect(code).toBe(0);
  });

  test('prints no secrets', async () => {
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
    expect(text).toContain(
      'problem  http carrier: 127.0.0.1:8 cannot be reached: the connection was refused.',
    );
    expect(text).toContain('problem  stripe: Stripe cannot be reached: the connection was refused.');
  });
});

describe('the doctor on the database', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await testService();
  });
  afterAll(() => service[Symbol.asyncDispose]());
  const about = (what: string, env: Record<string, string> = {}) =>
    found(what, { DATABASE_URL: service.databaseUrl, ...env });

  test('reports a healthy database as ok', async () => {
    const lines = await about('database');
    expect(lines[0]).toMatch(/^(ok|warning): PostgreSQL \d+ responds in \d/);
    expect(lines).toContain('ok: Its migrations are up to date.');
    expect((await about('clock'))[0]).toMatch(/^ok: This machine's clock is 0\.\d\d s/);
    expect(await about('secret key')).toEqual([]);
  });

  test('reports a wrong name and an empty database', async () => {
    const wrong = new URL(service.databaseUrl);
    wrong.pathname = '/no_such_database';
    expect(await found('database', { DATABASE_URL: wrong.href })).toEqual([
      'problem: It cannot be used: database "no_such_database" does not exist. → Create the database, or name the right one in DATABASE_URL.',
    ]);
    await using empty = await emptyDatabase();
    expect((await found('database', { DATABASE_URL: empty.url })).join()).toContain('warning: It is empty.');
  });

  test('reports a missing migration and one of a newer version', async () => {
    await using database = await testDatabase();
    const last = `(select max(name) from schema_migrations)`;
    await runSql(database.url, `update schema_migrations set name = '9999_newer.sql' where name = ${last}`);
    expect((await found('database', { DATABASE_URL: database.url })).join()).toMatch(
      /problem: It is not up to date: \d{4}_\w+\.sql has not run\./,
    );
    await using other = await testDatabase();
    await runSql(other.url, `insert into schema_migrations (name, sha256) values ('9999_newer.sql', '')`);
    expect((await found('database', { DATABASE_URL: other.url })).join()).toContain(
      'warning: It was migrated by a newer version than this (9999_newer.sql).',
    );
  });

  test('reports settings that may lose acknowledged commits', async () => {
    const url = (setting: string) => `${service.databaseUrl}?options=${encodeURIComponent(`-c ${setting}`)}`;
    const lines = async (setting: string) =>
      (await found('database', { DATABASE_URL: url(setting) })).join('\n');
    expect(await lines('synchronous_commit=off')).toContain('problem: synchronous_commit is off');
    expect(await lines('synchronous_commit=local')).toContain('warning: synchronous_commit is local');
    expect(await lines('default_transaction_read_only=on')).toContain('problem: It accepts no writes');
    const facts: ServerFacts = {
      version: 18,
      fsync: 'on',
      full_page_writes: 'on',
      synchronous_commit: 'on',
      locks: 256,
      max_connections: 100,
      connections: 5,
      is_standby: false,
      read_only: 'off',
    };
    expect(durabilityFindings(facts)[0]?.level).toBe('ok');
    expect(
      durabilityFindings({ ...facts, fsync: 'off', full_page_writes: 'off' }).map(({ says }) => says),
    ).toEqual([
      'fsync is off: a power failure may corrupt the whole database.',
      'full_page_writes is off: a power failure may corrupt the whole database.',
    ]);
    expect(
      capacityFindings({ ...facts, locks: 64, connections: 90 }).map(
        ({ level, says }) => `${level}: ${says}`,
      ),
    ).toEqual([
      'warning: max_locks_per_transaction is 64: a batch locks each of its recipients, and large ones may not fit.',
      'warning: 90 of 100 connections are in use; each process of the service may take 20.',
    ]);
  });

  test('reports a disk that fills up', () => {
    expect(diskSpaceOf(5e9, 50e9)).toMatchObject({
      level: 'ok',
      says: '5.00 GB are used, 50 GB of its disk are free.',
    });
    expect([diskSpaceOf(5e9, 1e9).level, diskSpaceOf(5e9, 1e8).level]).toEqual(['warning', 'problem']);
  });

  test('reports a pooler, with and without a direct connection for migrations', async () => {
    await using pooler = await startPooler(service.databaseUrl);
    const lines = async (env: Record<string, string>) => (await found('database', env)).join('\n');
    expect(await lines({ DATABASE_URL: pooler.url })).toContain(
      'ok: The connection goes through a pooler such as PgBouncer',
    );
    expect(await lines({ DATABASE_URL: pooler.url, MIGRATE_DATABASE_URL: service.databaseUrl })).toContain(
      'ok: Migrations have a direct connection.',
    );
    expect(await lines({ DATABASE_URL: pooler.url, MIGRATE_DATABASE_URL: pooler.url })).toContain(
      'warning: MIGRATE_DATABASE_URL also goes through a pooler.',
    );
    expect(await lines({ DATABASE_URL: pooler.url, MIGRATE_DATABASE_URL: NOWHERE })).toContain(
      'problem: MIGRATE_DATABASE_URL cannot be used: the connection was refused.',
    );
  });

  test('reports a database written under another server key', async () => {
    await using database = await testDatabase();
    await runSql(
      database.url,
      `insert into service_facts (name, value) values ('secret_key_id', 'deadbeef')`,
    );
    expect((await found('secret key', { DATABASE_URL: database.url })).join()).toContain(
      'problem: This database was written under another SECRET_KEY.',
    );
  });

  test('reports a clock that differs', async () => {
    const behind = { now: () => new Date(Date.now() - 90_000) };
    const [line] = await found('clock', { DATABASE_URL: service.databaseUrl }, behind);
    expect(line).toMatch(/^problem: This machine's clock is (89|90) s behind the database's\./);
    expect([clockFinding(3_000).level, clockFinding(-100).level]).toEqual(['warning', 'ok']);
  });

  test('reports waiting messages without a worker', async () => {
    expect((await about('workers'))[0]).toMatch(/^warning: No worker is alive/);
    const alice = await service.customer('Alice');
    await service.call(sendOtp, {
      apiKey: alice.api_key,
      body: { channel: 'sms', recipient: '+14155550123' },
    });
    const age = (seconds: number) =>
      service.app.db.run('update deliveries set run_at = clock_now() - make_interval(secs => $1)', [seconds]);
    await age(60);
    expect((await about('workers'))[0]).toMatch(/^problem: No worker is alive, and 1 messages wait\./);
    expect((await about('queue'))[0]).toMatch(/^warning: The oldest due message has waited 6\d s\./);
    await age(600);
    expect((await about('queue'))[0]).toMatch(/^problem: The oldest due message has waited 60\d s\./);
    const working = await startWork(service.app, [], 'test');
    expect(await about('workers')).toEqual(['ok: 1 is alive.']);
    await working.stop();
    await service.drain();
    expect((await about('queue'))[0]).toMatch(/^ok:/);
  });
});

describe('the doctor on mail', () => {
  const mail = (SMTP_URL: string) => found('mail', { SMTP_URL, EMAIL_FROM: 'Acme <codes@acme.test>' });

  test('tries the login and sends no mail', async () => {
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

  test('accepts a server without TLS on this machine and warns about others', async () => {
    await using smtp = await startSmtp();
    expect((await mail(smtp.url)).join()).toContain('ok: ');
    const elsewhere = smtp.url.replace('127.0.0.1', '0.0.0.0');
    expect((await mail(elsewhere)).join()).toMatch(/^warning: .* codes travel to it unencrypted/);
  });

  test('names the cause of an untrusted certificate', async () => {
    await using smtp = await startSmtp({ tls: 'implicit' });
    const strict = `${smtp.url}?tls.rejectUnauthorized=true`;
    expect((await mail(strict)).join()).toMatch(/its TLS certificate (is self-signed|has expired)/);
  });
});

describe('the doctor on carriers', () => {
  test('checks the credentials of Twilio by reading the account', async () => {
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
    twilio.everyone = 'error';
    expect(await say()).toMatch(/^problem: .* responds with HTTP 500/);
    twilio.everyone = undefined;
    twilio.about.type = 'Trial';
    expect(await say()).toMatch(/^warning: .* is a trial/);
    twilio.about.status = 'suspended';
    expect(await say()).toMatch(/^problem: The account is suspended/);
    expect(twilio.messages).toEqual([]);
  });

  test('warns about Twilio without a public address for its reports', () => {
    expect(callbackFindings('http://localhost:3000/api/v1', 'https://api.twilio.com')).toMatchObject([
      { level: 'warning', says: expect.stringContaining('without delivery reports') },
    ]);
    expect(callbackFindings('https://otp.example.com/api/v1', 'https://api.twilio.com')).toEqual([]);
  });

  test('checks that an HTTP carrier responds', async () => {
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
});

test('the doctor checks that the keys of Stripe belong together and tries the secret key', async () => {
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
    /STRIPE_SECRET_KEY does not have the format.*STRIPE_PUBLISHABLE_KEY does not/s,
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
  let service: TestService;
  let origin: string;
  let believing: TestService;
  let believingOrigin: string;
  beforeAll(async () => {
    service = await testService();
    origin = await service.listen();
    believing = await testService({ env: { TRUSTED_PROXIES: 'loopback' } });
    believingOrigin = await believing.listen();
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await believing[Symbol.asyncDispose]();
  });
  const say = async (PUBLIC_URL: string, env = {}) =>
    (await found('public url', { PUBLIC_URL, ...env })).join();

  test('recognises this service', async () => {
    expect(await say(origin)).toMatch(/^ok: .* leads to this service/);
    expect(await found('api url', { PUBLIC_URL: origin, API_URL: `${origin}/api/v1` })).toHaveLength(1);
  });

  test('reports an unreachable address, another service and a redirect', async () => {
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

  test('uses a probe that refuses unsigned requests', async () => {
    for (const query of [
      '',
      '?nonce=a&at=0&signature=b',
      `?nonce=a&at=${Math.floor(Date.now() / 1000)}&signature=`,
    ])
      expect((await fetch(`${origin}/api/v1/reflection${query}`)).status).toBe(404);
  });

  test('names an untrusted certificate as the cause', async () => {
    const server = createServer(selfSigned(['localhost']), (_request, answer) => answer.end('{}'));
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const { port } = server.address() as AddressInfo;
    expect(await say(`https://localhost:${port}`)).toMatch(/^problem: .* its TLS certificate is not valid/);
    await new Promise((done) => server.close(done));
  });

  test('reports an address without https in production', async () => {
    expect(await say('http://codes.example.invalid', { NODE_ENV: 'production' })).toContain(
      'problem: It is not https',
    );
  });

  test('warns about a local address with a carrier that sends callbacks', async () => {
    const env = { HTTP_CARRIER_URL: 'http://127.0.0.1:8', HTTP_CARRIER_SECRET: 'a secret of the carrier' };
    expect(await say(origin, env)).toContain('warning: It is an address of this machine alone');
  });

  test('reports a proxy that is not trusted, sends no X-Forwarded-For or adds to it', async () => {
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

  test('reports a TLS proxy that passes on X-Forwarded-For or does not report https', () => {
    const seen = {
      proof: '',
      ip: '203.0.113.9',
      peer: '10.0.0.2',
      protocol: 'https',
      believed: true,
      forwarded: '203.0.113.9',
    };
    const says = (more: object) =>
      arrivalFindings('public url', 'https://otp.example.com', { ...seen, ...more }).map((one) => one.says);
    expect(says({})).toEqual([]);
    expect(says({ ip: '192.0.2.77', forwarded: '192.0.2.77' })[0]).toMatch(/passes on the X-Forwarded-For/);
    expect(says({ protocol: 'http' })[0]).toMatch(/does not report that clients use https/);
  });
});
