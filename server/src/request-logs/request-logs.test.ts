import { expect, test, vi } from 'vitest';
import { testDatabase } from '../../test/database.ts';
import { runSql } from '../../test/database-url.ts';
import { openDb } from '../platform/db/sql.ts';
import { createLog } from '../platform/log.ts';
import { createRequestLogWriter, type RequestLogEntry } from './request-logs.ts';

async function surroundings() {
  const database = await testDatabase();
  const lines: string[] = [];
  const log = createLog('warn', { write: (line: string) => void lines.push(line) });
  let at = new Date('2026-11-20T10:00:00.100Z');
  const clock = { now: () => at, sleep: () => Promise.resolve() };
  const db = openDb({ url: database.url, log, max: 4 });
  return {
    app: { db, log, clock },
    database,
    lines,
    at: (text: string) => {
      at = new Date(text);
    },
    rows: () =>
      db.rows<{ id: string; count: number; recipient: string; reason: string }>(
        'select id, count, recipient, reason from request_logs order by id',
      ),
    async [Symbol.asyncDispose]() {
      await db.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

const ALICE = '01920000-0000-7000-8000-00000000000a';
const KEY = '01920000-0000-7000-8000-00000000000b';

let asked = 0;
/** Requests, one after the other. */
const refusal = (more: Partial<RequestLogEntry> = {}): RequestLogEntry => ({
  account_id: ALICE,
  api_key_id: KEY,
  request_type: 'send_otp',
  method: 'POST',
  endpoint: '/api/v1/otp/send/',
  response_status_code: 402,
  response_time_ms: 1.5,
  credits_used: 0,
  channel: 'sms',
  recipient: '+14155552671',
  unstored_recipient: null,
  otp_id: null,
  ip_address: '2001:db8::1',
  request_id: `01920000-0001-7000-8000-${String(++asked).padStart(12, '0')}`,
  reason: 'insufficient_credits',
  refused_fields: null,
  blocked_by: null,
  ...more,
});
/** A refusal of another key is a separate row. */
const anothers = (more: Partial<RequestLogEntry> = {}) =>
  refusal({ api_key_id: `01920000-0002-7000-8000-${String(asked + 1).padStart(12, '0')}`, ...more });
const limited = (more: Partial<RequestLogEntry> = {}) =>
  refusal({ response_status_code: 429, reason: 'rate_limited', ...more });

test('a flush writes every recorded request once', async () => {
  await using world = await surroundings();
  const log = createRequestLogWriter(world.app);
  for (let n = 0; n < 450; n++) log.record(anothers({ recipient: `r${n}@example.com` }));
  await Promise.all([log.flush(), log.flush()]);
  const rows = await world.rows();
  expect(new Set(rows.map(({ recipient }) => recipient))).toEqual(
    new Set(Array.from({ length: 450 }, (_, n) => `r${n}@example.com`)),
  );
  expect(rows).toHaveLength(450);
});

test('recorded requests are written automatically within about a tenth of a second', async () => {
  await using world = await surroundings();
  const log = createRequestLogWriter(world.app);
  const later = vi.spyOn(globalThis, 'setTimeout');
  log.record(anothers());
  expect(later).toHaveBeenLastCalledWith(expect.any(Function), 50);
  later.mockRestore();
  await expect.poll(async () => (await world.rows()).length).toBe(1);
  log.record(anothers());
  await expect.poll(async () => (await world.rows()).length).toBe(2);
  await log.close();
});

test('a flood with one API key is stored as one row per second with a count, over all processes', async () => {
  await using world = await surroundings();
  const [one, two] = [createRequestLogWriter(world.app), createRequestLogWriter(world.app)];
  for (let n = 0; n < 3_000; n++) one.record(limited());
  for (let n = 0; n < 500; n++) two.record(limited({ request_type: 'verify_otp' }));
  await Promise.all([one.flush(), two.flush()]);
  one.record(limited());
  await one.flush();
  world.at('2026-11-20T10:00:01.000Z');
  one.record(limited());
  await one.close();
  expect((await world.rows()).map(({ count }) => count)).toEqual([3_501, 1]);
});

test.each([
  ['invalid_fields', 400],
  ['insufficient_credits', 402],
  ['recipient_rate_limited', 429],
  ['unavailable', 503],
])(
  'refusals of one API key with %s are stored as one row per second with a count and the first id',
  async (reason, response_status_code) => {
    await using world = await surroundings();
    const log = createRequestLogWriter(world.app);
    const first = refusal({ reason, response_status_code });
    log.record(first);
    for (let n = 0; n < 2_000; n++) log.record(refusal({ reason, response_status_code }));
    await log.flush();
    for (let n = 0; n < 500; n++) log.record(refusal({ reason, response_status_code }));
    await log.flush();
    world.at('2026-11-20T10:00:01.000Z');
    log.record(refusal({ reason, response_status_code }));
    await log.close();
    const rows = await world.rows();
    expect(rows.map(({ count }) => count)).toEqual([2_501, 1]);
    expect(rows[0]?.id).toBe(first.request_id);
  },
);

const about = (n: number) => `+1415555${String(n).padStart(4, '0')}`;

test.each([
  ['insufficient_credits', 402, 'send_otp'],
  ['recipient_opted_out', 400, 'send_otp'],
  ['otp_not_found', 404, 'verify_otp'],
] as const)('refusals in one second with %s have a row for each recipient', async (reason, status, type) => {
  await using world = await surroundings();
  const log = createRequestLogWriter(world.app);
  const refused = (n: number) =>
    log.record(
      refusal({
        reason,
        response_status_code: status,
        request_type: type,
        recipient: about(n % 5),
        otp_id: null,
      }),
    );
  for (let n = 0; n < 20; n += 1) refused(n);
  await log.flush();
  for (let n = 0; n < 10; n += 1) refused(n);
  await log.close();
  const rows = await world.rows();
  expect(rows.map(({ recipient, count }) => [recipient, count]).sort()).toEqual(
    [0, 1, 2, 3, 4].map((n) => [about(n), 6]),
  );
});

test('refusals in one second for different malformed recipients have a row each, up to thirty a second', async () => {
  await using world = await surroundings();
  const log = createRequestLogWriter(world.app);
  const refused = (n: number) =>
    log.record(
      refusal({
        reason: 'invalid_fields',
        response_status_code: 400,
        recipient: null,
        unstored_recipient: `digest ${n}`,
      }),
    );
  for (let n = 0; n < 6; n += 1) refused(n % 3);
  await log.flush();
  expect((await world.rows()).map(({ count, recipient }) => [count, recipient])).toEqual(
    Array(3).fill([2, null]),
  );
  for (let n = 0; n < 1_000; n += 1) refused(n);
  await log.close();
  const rows = await world.rows();
  expect(rows).toHaveLength(31);
  expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(1_006);
});

test('verifies in one second of different verifications have a row each', async () => {
  await using world = await surroundings();
  const log = createRequestLogWriter(world.app);
  for (const otp_id of [ALICE, KEY, ALICE])
    log.record(refusal({ request_type: 'verify_otp', recipient: null, reason: 'otp_not_found', otp_id }));
  await log.close();
  expect((await world.rows()).map(({ count }) => count).sort()).toEqual([1, 2]);
});

test('a flood with ever new recipients has thirty rows a second per account, plus one per key and reason', async () => {
  await using world = await surroundings();
  const log = createRequestLogWriter(world.app);
  for (let n = 0; n < 3_000; n += 1) {
    const api_key_id = n % 2 ? KEY : ALICE;
    log.record(refusal({ api_key_id, recipient: about(n) }));
    if (n % 500 === 0) await log.flush();
  }
  await log.close();
  const rows = await world.rows();
  const named = rows.filter(({ recipient }) => recipient !== null);
  expect(named.map(({ recipient, count }) => [recipient, count]).sort()).toEqual(
    Array.from({ length: 30 }, (_, n) => [about(n), 1]),
  );
  expect(rows.filter(({ recipient }) => recipient === null).map(({ count }) => count)).toEqual([
    1_485, 1_485,
  ]);
});

test('a rate-limited row has a recipient only if all its requests share it, even within one write', async () => {
  await using world = await surroundings();
  const log = createRequestLogWriter(world.app);
  for (const recipient of [about(1), about(2), about(2)]) log.record(limited({ recipient }));
  await log.close();
  expect(await world.rows()).toMatchObject([{ count: 3, recipient: null }]);
});

test('a rate-limited row has a recipient only if all its requests share it, over all processes', async () => {
  await using world = await surroundings();
  const [one, two] = [createRequestLogWriter(world.app), createRequestLogWriter(world.app)];
  one.record(limited());
  await one.flush();
  two.record(limited());
  await two.flush();
  expect(await world.rows()).toMatchObject([{ count: 2, recipient: '+14155552671' }]);
  two.record(limited({ recipient: about(1) }));
  await two.flush();
  one.record(limited());
  await one.flush();
  expect(await world.rows()).toMatchObject([{ count: 4, recipient: null }]);
});

test('other keys, request types and refusals have separate rows', async () => {
  await using world = await surroundings();
  const log = createRequestLogWriter(world.app);
  log.record(limited());
  log.record(limited({ api_key_id: ALICE }));
  log.record(refusal({ request_type: 'verify_otp' }));
  log.record(refusal());
  log.record(refusal({ response_status_code: 429, reason: 'recipient_rate_limited' }));
  log.record(refusal({ response_status_code: 429, reason: 'recipient_rate_limited' }));
  await log.flush();
  expect((await world.rows()).map(({ count }) => count).sort()).toEqual([1, 1, 1, 1, 2]);
});

test('the request log can store any client input', async () => {
  await using world = await surroundings();
  const log = createRequestLogWriter(world.app);
  log.record(anothers({ recipient: `a\0b${'x'.repeat(400)}`, channel: 'si\0gn', endpoint: '/\ud83d' }));
  log.record(anothers({ recipient: `${'x'.repeat(319)}😀` }));
  await log.flush();
  expect((await world.rows()).map(({ recipient }) => recipient.length)).toEqual([320, 320]);
});

test('a request that cannot be stored is logged and affects no other row', async () => {
  await using world = await surroundings();
  const log = createRequestLogWriter(world.app);
  for (let n = 0; n < 20; n++) log.record(anothers({ ip_address: n === 7 ? 'not an address' : null }));
  await log.flush();
  expect(await world.rows()).toHaveLength(19);
  expect(world.lines.join('')).toContain('cannot be written');
});

test('request log rows wait while the database is unavailable', async () => {
  await using world = await surroundings();
  const log = createRequestLogWriter(world.app);
  const { name, url } = world.database;
  const admin = new URL(url);
  admin.pathname = '/postgres';
  await runSql(admin.href, `alter database ${name} allow_connections false`);
  await runSql(
    admin.href,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
  );
  for (let n = 0; n < 300; n++) log.record(anothers());
  const written = log.flush();
  await runSql(admin.href, `alter database ${name} allow_connections true`);
  await written;
  expect(await world.rows()).toHaveLength(300);
});

test('waiting request log rows take bounded memory, and dropped rows are counted and logged', async () => {
  await using world = await surroundings();
  const log = createRequestLogWriter(world.app, { rowsInMemory: 100 });
  for (let n = 0; n < 130; n++) log.record(anothers());
  await log.flush();
  expect(await world.rows()).toHaveLength(100);
  expect(world.lines.map((line) => JSON.parse(line).rows)).toEqual([30]);
});
