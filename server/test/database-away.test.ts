import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { failures } from '@sixdigit/contract/errors.ts';
import { getOtp, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { createIntent } from '@sixdigit/contract/payments.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import { listVerifications } from '@sixdigit/contract/verifications.ts';
import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { allJobs } from '../src/app.ts';
import { openDb } from '../src/platform/db/sql.ts';
import { startWork, type Working } from '../src/platform/queue/work.ts';
import type { CallInput } from './call.ts';
import { runSql } from './database-url.ts';
import { type Receiver, startReceiver } from './fakes/receiver.ts';
import { type SmtpFake, startSmtp } from './fakes/smtp.ts';
import { startTcpProxy, type TcpProxy } from './fakes/tcp-proxy.ts';
import { type Customer, type TestService, testService } from './service.ts';
import { signedIn } from './signed-in.ts';
import { type Wire, wire } from './wire.ts';

/** Tests database outages with real sockets and workers. The service is never restarted. */
let proxy: TcpProxy;
let smtp: SmtpFake;
let receiver: Receiver;
let service: TestService;
let working: Working;
let alice: Customer;
let bearer: string;
let client: Wire;
/** A separate connection to the database that is never cut. */
let beside: ReturnType<typeof openDb>;
const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);

const CREDITS = 5_000;

beforeAll(async () => {
  process.on('unhandledRejection', note);
  [smtp, receiver] = await Promise.all([startSmtp(), startReceiver()]);
  service = await testService({
    env: { SMTP_URL: smtp.url, EMAIL_FROM: 'codes@sixdigit.test' },
    patienceMs: 10_000,
    via: async (direct) => {
      const started = await startTcpProxy(direct);
      proxy = started.proxy;
      return started.url;
    },
  });
  beside = openDb({ url: service.databaseUrl, log: service.app.log, max: 2 });
  alice = await service.customer('Alice', { credits: CREDITS });
  bearer = await signedIn(service, alice);
  client = wire(await service.listen());
  working = await startWork(service.app, allJobs(service.app), 'worker');
});
afterAll(async () => {
  await proxy.join();
  await working.stop();
  await beside.close();
  await service[Symbol.asyncDispose]();
  await Promise.all([proxy.cut(), smtp.close(), receiver.close()]);
  process.off('unhandledRejection', note);
});

const send = (recipient: string, headers: Record<string, string> = {}, apiKey = alice.api_key) =>
  client.call(sendOtp, { apiKey, headers, body: { channel: 'email', recipient } });

/** Resolves when a call succeeds again. */
async function untilBack(): Promise<void> {
  await vi.waitUntil(async () => (await client.call(getMe, { bearer })).status === 200, {
    timeout: 20_000,
    interval: 50,
  });
}

/** The account's totals, which must agree after every outage. */
const books = () =>
  beside.one<{ verifications: number; used: number; credits: number; sum: number; logged: number }>(
    `select (select count(*) from verifications) as verifications,
       (select count(*) from ledger where kind = 'usage') as used,
       (select count(*) from request_logs where credits_used = 1) as logged,
       b.credits, (select sum(credits) from ledger l where l.account_id = b.account_id) as sum
     from balances b where b.account_id = $1`,
    [alice.account_id],
  );

async function expectWhole(): Promise<void> {
  const { verifications, used, credits, sum, logged } = await books();
  expect({ used, logged, credits }).toEqual({
    used: verifications,
    logged: verifications,
    credits: CREDITS - verifications,
  });
  expect(sum).toBe(credits);
}

/** The database's state as the metrics report it, and the gauges whose values come from the database. */
async function scrape() {
  const { body } = await service.inject({ url: '/metrics' });
  const value = (line: string) => line.slice(line.lastIndexOf(' ') + 1);
  const lines = body.split('\n');
  return {
    isUp: value(lines.find((line) => line.startsWith('sixdigit_database_up ')) ?? ''),
    ofDatabase: lines.filter((line) =>
      /^sixdigit_(?:queue|webhook_queue|workers|unmatched|database_synchronous)/.test(line),
    ),
  };
}

test('a scrape reports a hanging database as down, and its gauges return after recovery', async () => {
  const before = await scrape();
  expect(before.isUp).toBe('1');
  expect(before.ofDatabase.length).toBeGreaterThan(7);
  proxy.freeze();
  const during = await Promise.all([scrape(), scrape(), scrape()]);
  expect(during).toEqual(Array(3).fill({ isUp: '0', ofDatabase: [] }));
  await proxy.join();
  await expect.poll(async () => (await scrape()).ofDatabase).toHaveLength(before.ofDatabase.length);
});

describe('while the database is unavailable', () => {
  const calls: [string, Route, CallInput<Route>][] = [
    ['a send', sendOtp, { body: { channel: 'email', recipient: 'x@example.com' } }],
    ['a verify', verifyOtp, { body: { otp_id: '0199e0a0-0000-7000-8000-000000000000', code: '123456' } }],
    ['a look-up', getOtp, { params: { otp_id: '0199e0a0-0000-7000-8000-000000000000' } }],
    ['a list', listVerifications, {}],
    ['a new key', createApiKey, { body: { name: 'Key' } }],
    ['a new endpoint', createWebhook, { body: { name: 'Hook', url: 'https://example.com/' } }],
    ['a purchase', createIntent, { body: { credits: 100, price_usd_cents: 200 } }],
    ['a sign-in', signIn, { body: { email: 'alice@customers.test', password: 'some password' } }],
  ];
  beforeAll(() => proxy.cut());
  afterAll(async () => {
    await proxy.join();
    await untilBack();
  });

  test.each(calls)(
    'without a database, %s gets 503 with Retry-After and without the cause',
    async (_, route, input) => {
      const answer = await client.call(route, { ...input, bearer, apiKey: alice.api_key });
      expect(answer.status).toBe(503);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(answer.body).toEqual({
        error: failures.unavailable.error,
        reason: 'unavailable',
        retry_after: Number(answer.headers['retry-after']),
      });
    },
  );

  test('without a database, the process reports that it is alive but not ready', async () => {
    const answers = await Promise.all(['/healthz', '/readyz'].map((url) => service.inject({ url })));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 503]);
    expect(answers[1]?.json()).toMatchObject({ checks: { database: 'failed' } });
  });

  test('without a database, the metrics report it as unavailable and omit its gauges', async () => {
    expect(await scrape()).toEqual({ isUp: '0', ofDatabase: [] });
  });

  test('the OpenAPI document needs no database', async () => {
    expect((await service.inject({ url: '/api/v1/openapi.json' })).statusCode).toBe(200);
    expect((await service.inject({ url: '/config.json' })).statusCode).toBe(200);
  });
});

test('the service recovers with the database, without a restart', async () => {
  await proxy.cut();
  expect((await send('before@example.com')).status).toBe(503);
  await proxy.join();
  await untilBack();
  expect((await send('after@example.com')).status).toBe(201);
  await smtp.waitForMailTo('after@example.com');
  expect((await service.inject({ url: '/readyz' })).statusCode).toBe(200);
  await expectWhole();
});

test('a database outage during 100 sends leaves no partial state, and retries send nothing twice', async () => {
  const before = (await books()).verifications;
  const keys = await Promise.all(
    Array.from({ length: 10 }, async () => (await service.anotherKey(alice.account_id)).key),
  );
  const names = Array.from({ length: 100 }, (_, n) => `n${n}@example.com`);
  const ask = (name: string, n: number) => send(name, { 'idempotency-key': name }, keys[n % keys.length]);
  const statuses: number[] = [];
  // Sends in waves of ten. The outage begins during the third wave, and the later waves start after it.
  for (let from = 0; from < names.length; from += 10) {
    const wave = names.slice(from, from + 10).map((name, n) => ask(name, from + n));
    const cut = from === 20 ? Promise.race(wave).then(() => proxy.cut()) : undefined;
    statuses.push(...(await Promise.all(wave)).map(({ status }) => status));
    await cut;
  }
  await proxy.join();
  await untilBack();
  expect(new Set(statuses)).toEqual(new Set([201, 503]));
  await expectWhole();
  const kept = (await books()).verifications - before;
  expect(kept).toBeGreaterThanOrEqual(statuses.filter((status) => status === 201).length);

  // The key's rate limit may still refuse the call. Retry-After states how long to wait.
  const again = (name: string, n: number) =>
    vi.waitUntil(
      async () => {
        const answer = await ask(name, n);
        return answer.status === 429 ? undefined : answer;
      },
      { timeout: 20_000, interval: 100 },
    );
  for (let from = 0; from < names.length; from += 10) {
    const answers = await Promise.all(names.slice(from, from + 10).map((name, n) => again(name, from + n)));
    expect(answers.map((answer) => answer?.status)).toEqual(answers.map(() => 201));
  }
  expect((await books()).verifications - before).toBe(names.length);
  await expectWhole();
});

test('database connections closed under load are replaced with few errors', async () => {
  const before = (await books()).verifications;
  const keys = await Promise.all(
    Array.from({ length: 10 }, async () => (await service.anotherKey(alice.account_id)).key),
  );
  const answers = await Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      if (n === 30)
        await runSql(
          service.databaseUrl,
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name = 'sixdigit test'`,
        );
      return send(`t${n}@example.com`, {}, keys[n % keys.length]);
    }),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([]);
  const acknowledged = statuses.filter((status) => status === 201).length;
  await untilBack();
  expect((await books()).verifications - before).toBeGreaterThanOrEqual(acknowledged);
  await expectWhole();
});

test('messages queued before a database outage are delivered once after it', async () => {
  const hook = await client.call(createWebhook, {
    bearer,
    body: { name: 'Hook', url: receiver.at('/ok') },
  });
  expect(hook.status).toBe(201);
  const sent = await send('queued@example.com');
  await proxy.cut();
  expect(sent.status).toBe(201);
  expect((await send('not-now@example.com')).status).toBe(503);
  await proxy.join();
  await untilBack();
  await smtp.waitForMailTo('queued@example.com');
  const about = () => receiver.requests.filter(({ text }) => text.includes(sent.body.otp_id));
  await vi.waitUntil(() => about().length > 0, { timeout: 10_000 });
  await vi.waitUntil(
    async () =>
      (await client.call(getOtp, { apiKey: alice.api_key, params: { otp_id: sent.body.otp_id } })).body
        .status === 'sent',
    { timeout: 10_000 },
  );
  const { tries } = await beside.one<{ tries: number }>(
    'select count(*) as tries from deliveries where id = $1',
    [sent.body.otp_id],
  );
  expect(tries).toBe(0);
  const isSeen = async () =>
    (
      await beside.one<{ seen: boolean }>(
        `select exists (select from workers where id = $1 and seen_at > clock_timestamp() - interval '5 seconds') as seen`,
        [working.worker.id],
      )
    ).seen;
  await expect.poll(isSeen).toBe(true);
});

test('request log rows that wait during a database outage are written after it', async () => {
  const { key, id } = await service.anotherKey(alice.account_id);
  const wrong = { apiKey: key, body: { channel: 'pigeon', recipient: 'x' } };
  // The call is refused just before the outage. Its log row is written after the response.
  expect((await client.call(sendOtp, wrong as CallInput<typeof sendOtp>)).status).toBe(400);
  await proxy.cut();
  expect((await client.call(sendOtp, wrong as CallInput<typeof sendOtp>)).status).toBe(503);
  await proxy.join();
  await untilBack();
  await service.app.requestLog.flush();
  const rows = await beside.rows<{ status: number; reason: string }>(
    'select response_status_code as status, reason from request_logs where api_key_id = $1',
    [id],
  );
  expect(rows).toEqual([{ status: 400, reason: 'invalid_fields' }]);
});

test('a hanging database causes a timeout', async () => {
  proxy.freeze();
  const answers = await Promise.all([
    send('silent@example.com'),
    client.call(getMe, { bearer }),
    client.call(listVerifications, { bearer }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
  await proxy.cut();
  await proxy.join();
  await untilBack();
  await expectWhole();
}, 60_000);

test('a database outage causes no unhandled rejection or internal error', () => {
  expect(unhandled).toEqual([]);
  expect(service.logLines.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
});
