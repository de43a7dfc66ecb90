import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { signOut } from '@sixdigit/contract/accounts/sign-in.ts';
import { exportAuditEntries } from '@sixdigit/contract/audit.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { exportTransactions, listTransactions } from '@sixdigit/contract/payments.ts';
import { exportDecisions, updateProtection } from '@sixdigit/contract/protection/protection.ts';
import { exportRequestLogs, listRequestLogs } from '@sixdigit/contract/request-logs.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import { exportVerifications, listVerifications } from '@sixdigit/contract/verifications.ts';
import { createWebhook, exportWebhookAttempts, testWebhook } from '@sixdigit/contract/webhooks.ts';
import Fastify from 'fastify';
import { afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { person } from '../../../test/person.ts';
import { type Customer, testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import type { Server } from '../http/serve.ts';
import { type Exported, exportCsv } from './export.ts';
import { exportSlots } from './export-limits.ts';

const service = fixture(testService);
let alice: Customer & { access: string };
beforeAll(async () => {
  const customer = await service.customer('Alice', { credits: 100 });
  alice = { ...customer, access: await signedIn(service, customer) };
  for (const recipient of ['ann@example.com', 'ben@example.com'])
    await service.call(sendOtp, { apiKey: alice.api_key, body: { channel: 'email', recipient } });
  await service.call(sendOtp, { apiKey: alice.api_key, body: { channel: 'sms', recipient: '+14155550100' } });
  await service.drain();
});

const lines = (text: string): string[] =>
  text
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split('\r\n');
const column = (text: string, name: string): (string | undefined)[] => {
  const [head = '', ...rows] = lines(text).map((line) => line.replaceAll('"', ''));
  const at = head.split(',').indexOf(name);
  expect(at, name).toBeGreaterThanOrEqual(0);
  return rows.map((row) => row.split(',')[at]);
};

test('the export of verifications has the rows, order and filters of the list', async () => {
  const bearer = alice.access;
  const list = await service.call(listVerifications, { bearer, query: {} });
  const all = await service.call(exportVerifications, { bearer });
  expect(all.status).toBe(200);
  expect(all.headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': expect.stringMatching(
      /^attachment; filename="verifications-\d{4}-\d\d-\d\d\.csv"$/,
    ),
    'cache-control': 'no-store',
  });
  const text = all.body.text;
  expect(text.startsWith('\uFEFF"id","created_at","recipient","recipient_text",')).toBe(true);
  expect(column(text, 'id')).toEqual(list.body.results.map(({ id }) => id));
  expect(column(text, 'recipient')).toEqual(['+14155550100', 'ben@example.com', 'ann@example.com']);
  expect(column(text, 'recipient_text')[0]).toBe('tel:+14155550100');
  expect(column(text, 'language')).toEqual(['en', 'en', 'en']);
  expect(column(text, 'template')).toEqual(['', '', '']);
  const found = await service.call(exportVerifications, { bearer, query: { search: 'ann@' } });
  expect(column(found.body.text, 'recipient')).toEqual(['ann@example.com']);
  const none = await service.call(exportVerifications, {
    bearer,
    query: { api_key: '018f0000-0000-7000-8000-000000000000' },
  });
  expect(lines(none.body.text)).toHaveLength(1);
});

test('the exports of requests, payment history and webhook attempts match their lists', async () => {
  const bearer = alice.access;
  await service.app.requestLog.flush();
  const requests = await service.call(listRequestLogs, { bearer, query: {} });
  const exported = await service.call(exportRequestLogs, { bearer });
  expect(column(exported.body.text, 'request_id')).toEqual(
    requests.body.results.map(({ request_id }) => request_id),
  );
  const history = await service.call(listTransactions, { bearer, query: {} });
  const ledger = await service.call(exportTransactions, { bearer });
  expect(column(ledger.body.text, 'id')).toEqual(history.body.results.map(({ id }) => id));
  expect(column(ledger.body.text, 'credits')).toContain('-1');
  const { body: hook } = await service.call(createWebhook, {
    bearer,
    body: { name: 'Shop', url: 'http://127.0.0.1:9/' },
  });
  await service.call(testWebhook, { bearer, params: { id: hook.id } });
  const attempts = await service.call(exportWebhookAttempts, { bearer, params: { id: hook.id } });
  expect(column(attempts.body.text, 'event_type')).toEqual(['webhook.test']);
});

test.each([
  ['verifications', exportVerifications, ''],
  ['request_logs', exportRequestLogs, ''],
  ['ledger', exportTransactions, ''],
  ['audit_entries', exportAuditEntries, ''],
  ['webhook_attempts', exportWebhookAttempts, 'endpoint_id'],
  ['protection_decisions', exportDecisions, ''],
])(
  'the export of %s has each row once, also where its parts of 2,000 rows meet',
  async (table, route, by) => {
    const bob = await service.customer('Bob', { credits: 100 });
    const bearer = await signedIn(service, bob);
    const { db, protection, requestLog } = service.app;
    await service.call(sendOtp, {
      apiKey: bob.api_key,
      body: { channel: 'email', recipient: `${table}@example.com` },
    });
    await requestLog.flush();
    const deny = [{ kind: 'prefix' as const, value: '+1415555' }];
    await service.call(updateProtection, { bearer, body: { deny } });
    const refused = { channel: 'sms' as const, recipient: '+14155550100' };
    expect((await service.call(sendOtp, { apiKey: bob.api_key, body: refused })).status).toBe(400);
    await protection.exchange();
    const body = { name: table, url: 'http://127.0.0.1:9/' };
    const { id } = (await service.call(createWebhook, { bearer, body })).body;
    await service.call(testWebhook, { bearer, params: { id } });
    const [of, owner] = by === '' ? ['account_id', bob.account_id] : [by, id];
    await db.run(
      `insert into ${table} select r.* from ${table} t cross join generate_series(1, 4000) n
       cross join lateral jsonb_populate_record(t, jsonb_build_object(
         'id', uuid_floor(clock_now() - n * interval '1 ms'), 'message_id', new_uuid())) r
       where t.id = (select id from ${table} where ${of} = $1 order by id desc limit 1)`,
      [owner],
    );
    const rows = await db.rows<{ id: string }>(`select id from ${table} where ${of} = $1 order by id desc`, [
      owner,
    ]);
    const { text } = (await service.call(route, { bearer, params: { id } } as never)).body as {
      text: string;
    };
    expect(column(text, 'id')).toEqual(rows.map((row) => row.id));
  },
);

// ── big exports, from rows that the database makes up ──

const ROWS_A_PART = 2_000;
let parts = 0;
/** Rows of 400 bytes, numbered downwards. */
const generated = (rows: number): Exported<{ n: number; text: string }> => ({
  name: 'generated',
  columns: [
    { header: 'n', cell: ({ n }) => n },
    { header: 'text', cell: ({ text }) => text },
  ],
  async part(tx, below) {
    parts += 1;
    const from = below.startsWith('f') ? rows : Number(below);
    const found = await tx.rows<{ n: number; text: string }>(
      `select n, repeat('x', 390) as text from generate_series($1::integer, greatest($2::integer, 1), -1) n`,
      [from, from - ROWS_A_PART + 1],
    );
    const left = from - ROWS_A_PART;
    return { rows: found, next: left > 0 ? String(left) : null };
  },
});

let isOpen = true;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  isOpen = true;
  for (const close of closing.splice(0)) await close();
});

/** A server whose only route exports so many generated rows, to Alice or to the account of the query. */
async function serving(rows: number): Promise<string> {
  const fastify = Fastify();
  closing.push(() => fastify.close());
  const server = { isSessionOpen: async () => isOpen } as unknown as Server;
  fastify.get('/', async (request, reply) => {
    const { account, operator } = request.query as { account?: string; operator?: string };
    const caller = {
      account_id: account ?? alice.account_id,
      person_id: alice.account_id,
      role: 'owner' as const,
      session_id: alice.account_id,
      is_proven: false,
      sso_account_id: null,
      ip_address: null,
      user_agent: null,
    };
    const stream = await exportCsv(
      service.app,
      { server, caller, isOperator: operator !== undefined, request, reply },
      generated(rows),
    );
    return reply.type('text/csv').send(stream);
  });
  await fastify.listen({ port: 0, host: '127.0.0.1' });
  parts = 0;
  return `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}/`;
}

const eventually = <T>(assert: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(assert, { timeout: 10_000, interval: 20 });
/** Succeeds if the account may start two exports, so none is running. */
const expectNoneRunning = (): Promise<void> =>
  eventually(() => {
    const slots = exportSlots(service.app.db);
    const places = [slots.enter({ account_id: alice.account_id, person_id: 'one' }, false)];
    try {
      places.push(slots.enter({ account_id: alice.account_id, person_id: 'another' }, false));
    } finally {
      for (const { leave } of places) leave();
    }
  });
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
/** The memory in use after a garbage collection. */
function memoryInUse(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
const openTransactions = async (): Promise<number> =>
  (
    await service.app.db.one<{ n: number }>(
      `select count(*) as n from pg_stat_activity
       where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`,
    )
  ).n;

test('an export of 300,000 rows is complete and runs in constant memory', async () => {
  const url = await serving(300_000);
  const answer = await fetch(url);
  const before = memoryInUse();
  const more: number[] = [];
  let bytes = 0;
  let rows = 0;
  for await (const chunk of answer.body ?? []) {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) rows += 1;
    const isTime = Math.floor(bytes / 20e6) < Math.floor((bytes + chunk.length) / 20e6);
    bytes += chunk.length;
    if (isTime) more.push(memoryInUse() - before);
  }
  expect(rows).toBe(300_001);
  expect(bytes).toBeGreaterThan(115_000_000);
  console.log(`export: ${more.map((n) => (n / 1e6).toFixed(0)).join()} MB more memory after each 20 MB`);
  // One or two parts are in flight at any time. If the whole export were in memory, all late figures would be above 80 MB.
  expect(more.length).toBeGreaterThanOrEqual(5);
  expect(Math.min(...more.slice(-2))).toBeLessThan(40_000_000);
  await expectNoneRunning();
});

test('a slow reader holds no transaction, and an export stops when its client disconnects', async () => {
  const url = await serving(1_000_000);
  const leaving = new AbortController();
  const answer = await fetch(url, { signal: leaving.signal });
  const reader = answer.body?.getReader();
  await reader?.read();
  // Once the network buffers are full, the server stops reading rows and still serves other clients.
  await eventually(async () => {
    const seen = parts;
    for (let n = 0; n < 20; n += 1) expect(await openTransactions()).toBe(0);
    expect(parts).toBe(seen);
    expect(service.app.db.pool.idleCount).toBe(service.app.db.pool.totalCount);
  });
  expect(parts).toBeLessThan(100);
  leaving.abort();
  await reader?.closed.catch(() => undefined);
  await expectNoneRunning();
  const ended = parts;
  for (let n = 0; n < 20; n += 1) await openTransactions();
  expect(parts).toBe(ended);
});

test('a member runs one export at a time, and a second is refused until it ends', async () => {
  const url = await serving(1_000_000);
  const leaving = new AbortController();
  expect((await fetch(url, { signal: leaving.signal })).status).toBe(200);
  const second = await service.call(exportVerifications, { bearer: alice.access });
  expect(second).toMatchObject({ status: 429, body: { reason: 'export_limit_reached' } });
  expect(Number(second.headers['retry-after'])).toBeGreaterThan(0);
  leaving.abort();
  await eventually(async () =>
    expect((await service.call(exportVerifications, { bearer: alice.access })).status).toBe(200),
  );
  await expectNoneRunning();
});

test('twenty accounts that read nothing block neither another account’s export nor an operator’s', async () => {
  const url = await serving(1_000_000);
  const leaving = new AbortController();
  const { signal } = leaving;
  closing.unshift(async () => leaving.abort());
  const slow = await Promise.all(
    Array.from({ length: 20 }, (_, n) => fetch(`${url}?account=slow-${n}`, { signal })),
  );
  const begun = slow.filter(({ status }) => status === 200);
  expect(begun).toHaveLength(16);
  const operator = await fetch(`${url}?account=olivia&operator`, { signal });
  expect(operator.status).toBe(200);
  expect((await service.call(exportVerifications, { bearer: alice.access })).status).toBe(429);
  await eventually(() => expect(parts).toBeGreaterThanOrEqual(16));
  const now = performance.now.bind(performance);
  const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 10_000);
  onTestFinished(() => later.mockRestore());
  await eventually(async () =>
    expect(await service.call(exportVerifications, { bearer: alice.access })).toMatchObject({ status: 200 }),
  );
  const ends = begun.map((answer) =>
    answer.arrayBuffer().then(
      () => 'complete',
      () => 'cut off',
    ),
  );
  expect(await Promise.race(ends)).toBe('cut off');
});

test('an export ends without its last chunk when the session ends or the database fails', async () => {
  const url = await serving(1_000_000);
  const answer = await fetch(url);
  isOpen = false;
  const reading = (async () => {
    for await (const _ of answer.body ?? []) await service.clock.advance(1_000);
  })();
  await expect(reading).rejects.toThrow();
  await expectNoneRunning();
});

test('a signed-out visitor cannot export anything', async () => {
  const bob = await person(service, 'Bob');
  await service.call(signOut, { body: { refresh: bob.refresh } });
  const answer = await service.inject({
    url: API_BASE + exportVerifications.path,
    headers: { authorization: `Bearer ${bob.access}` },
  });
  expect(answer.statusCode).toBe(401);
});
