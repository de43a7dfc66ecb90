import { sendOtp } from '@sixdigit/contract/otp.ts';
import { listVerifications } from '@sixdigit/contract/verifications.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Customer, type TestService, testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { lock } from '../../platform/db/advisory-locks.ts';
import { openDb } from '../../platform/db/sql.ts';
import { retentionJobs } from './retention.ts';

const DAY = 86_400_000;

let service: TestService;
let alice: Customer;

beforeEach(async () => {
  service = await testService({ env: { RETENTION_DAYS: '60' } });
  alice = await service.customer('Alice');
});
afterEach(() => service[Symbol.asyncDispose]());

const send = async (recipient: string) => {
  const body = { channel: 'email', recipient };
  expect((await service.call(sendOtp, { apiKey: alice.api_key, body })).status).toBe(201);
  await service.drain({ keepHouse: true });
};
const count = async (table: string) =>
  (await service.app.db.one<{ n: number }>(`select count(*) as n from ${table}`)).n;
const partitions = async (table: string) =>
  (
    await service.app.db.rows<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = $1::text::regclass order by 1`,
      [table],
    )
  ).map(({ name }) => name);

test('verifications, their history and their requests are removed after RETENTION_DAYS, but the ledger is kept', async () => {
  await send('first@example.com');
  await service.clock.advance(40 * DAY);
  await send('second@example.com');
  await service.clock.advance(21 * DAY);
  await service.drain({ keepHouse: true });
  const bearer = await signedIn(service, alice);
  const { body } = await service.call(listVerifications, { bearer });
  expect(body.results.map(({ recipient }) => recipient)).toEqual(['second@example.com']);
  // the expiry; the first history lines are read from the verification itself
  expect(await count('status_history')).toBe(1);
  expect(await count('request_logs')).toBe(1);
  await service.clock.advance(90 * DAY);
  await service.drain({ keepHouse: true });
  for (const table of ['verifications', 'status_history', 'request_logs']) expect(await count(table)).toBe(0);
  expect(await count('ledger')).toBe(3);
});

test('old months are dropped as whole partitions, and future partitions are created in time', async () => {
  const before = await partitions('verifications');
  await service.clock.advance(200 * DAY);
  await service.drain({ keepHouse: true });
  const after = await partitions('verifications');
  for (const month of before.slice(0, 3)) expect(after).not.toContain(month);
  const monthOf = (days: number) =>
    new Date(service.app.clock.now().getTime() + days * DAY).toISOString().slice(0, 7).replace('-', '_');
  for (const days of [0, 31, 62]) expect(after).toContain(`verifications_${monthOf(days)}`);
  // This month and three more.
  expect(after.filter((name) => name >= `verifications_${monthOf(0)}`)).toHaveLength(5);
  expect(after).toContain('verifications_other');
  await send('late@example.com');
  expect(await count('verifications_other')).toBe(0);
});

test('webhook messages and attempts are removed after 30 days', async () => {
  const { db, random } = service.app;
  const write = async () => {
    const ids = [random.uuid(), random.uuid(), alice.account_id];
    await db.run(
      `insert into webhook_messages (id, endpoint_id, account_id, type, body, created_at)
       values ($1, $2, $3, 'otp.sent', '{}', clock_now())`,
      ids,
    );
    await db.run(
      `insert into webhook_attempts (id, endpoint_id, account_id, message_id, event_type, attempt, attempted_at,
         duration_ms, succeeded) values ($1, $2, $3, $1, 'otp.sent', 1, clock_now(), 5, true)`,
      ids,
    );
  };
  await write();
  await service.clock.advance(20 * DAY);
  await write();
  await service.clock.advance(11 * DAY);
  await service.drain({ keepHouse: true });
  expect(await count('webhook_messages')).toBe(1);
  expect(await count('webhook_attempts')).toBe(1);
});

test('idempotency keys, recipient counts and the inbox are removed after a day', async () => {
  const headers = { 'idempotency-key': 'one' };
  const body = { channel: 'email', recipient: 'someone@example.com' };
  await service.call(sendOtp, { apiKey: alice.api_key, body, headers });
  await service.drain({ keepHouse: true });
  await service.clock.advance(DAY - 60_000);
  await service.drain({ keepHouse: true });
  expect(await count('idempotency_keys')).toBe(1);
  expect(await count('recipients')).toBe(1);
  expect(await count('sandbox_messages')).toBe(1);
  await service.clock.advance(2 * 3_600_000);
  await service.drain({ keepHouse: true });
  expect(await count('idempotency_keys')).toBe(0);
  expect(await count('recipients')).toBe(0);
  expect(await count('sandbox_messages')).toBe(0);
});

test('the inbox is limited to its newest thousand messages', async () => {
  const { db } = service.app;
  await db.run(
    `insert into sandbox_messages (id, channel, recipient, text, created_at)
     select ('01920000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'sms', '+1415555' || n, n::text, clock_now()
     from generate_series(1, 1200) n`,
  );
  await service.drain({ keepHouse: true });
  expect(await count('sandbox_messages')).toBe(1_000);
  expect(await db.one('select min(text::integer) as least from sandbox_messages')).toEqual({ least: 201 });
});

test('a month with many old rows is removed in batches', async () => {
  const { db } = service.app;
  await service.clock.advance(10 * DAY);
  await db.run(
    `insert into request_logs (account_id, id, api_key_id, request_type, method, endpoint, response_status_code,
       response_time_ms, request_id, created_at)
     select $1, overlay(gen_random_uuid()::text placing left(uuid_floor(clock_now())::text, 13) from 1 for 13)::uuid, $1,
       'send_otp', 'POST', '/', 201, 1, gen_random_uuid(), clock_now() from generate_series(1, 5000)`,
    [alice.account_id],
  );
  await service.clock.advance(61 * DAY);
  await service.drain({ keepHouse: true });
  expect(await count('request_logs')).toBe(0);
});

test('a retention period longer than the age of the clock removes nothing', async () => {
  await send('kept@example.com');
  const { app } = service;
  const [job] = retentionJobs({ ...app, config: { ...app.config, retentionDays: 36_500 } });
  await job?.run(service.worker);
  expect(await count('verifications')).toBe(1);
});

test('only one process runs the retention at a time', async () => {
  await send('old@example.com');
  await service.clock.advance(61 * DAY);
  const other = openDb({ url: service.databaseUrl, log: service.app.log, max: 1 });
  const [job] = retentionJobs(service.app);
  await other.transaction(async (tx) => {
    await lock(tx, 'retention');
    await job?.run(service.worker);
    expect(await count('verifications')).toBe(1);
  });
  await job?.run(service.worker);
  expect(await count('verifications')).toBe(0);
  await other.close();
});

test('a month whose table is in use is skipped and removed by a later run', async () => {
  await send('old@example.com');
  await service.clock.advance(120 * DAY);
  const other = openDb({ url: service.databaseUrl, log: service.app.log, max: 1 });
  const [job] = retentionJobs(service.app);
  const before = await partitions('request_logs');
  await other.transaction(async (tx) => {
    await tx.rows('select from request_logs limit 1');
    await job?.run(service.worker);
    expect((await partitions('request_logs')).slice(0, 2)).toEqual(before.slice(0, 2));
    expect(await count('verifications')).toBe(0);
  });
  await job?.run(service.worker);
  expect(await partitions('request_logs')).not.toContain(before[0]);
  await other.close();
});

const CLAIMED_ROWS = {
  deliveries: `insert into deliveries (id, account_id, channel, sealed, run_at, expires_at, worker_id, claim)
    values ($1, $1, 'email', '', clock_now(), clock_now(), $2, $1)`,
  webhook_deliveries: `insert into webhook_deliveries (id, endpoint_id, account_id, run_at, worker_id, claim)
    values ($1, $1, $1, clock_now(), $2, $1)`,
  notices: `insert into notices (id, channel, sealed, created_at, run_at, expires_at, worker_id, claim)
    values ($1, 'email', '', clock_now(), clock_now(), clock_now(), $2, $1)`,
};

test.each(Object.entries(CLAIMED_ROWS))(
  'the record of a dead worker is kept while it has claims in %s',
  async (queue, insertClaimed) => {
    const { db, random } = service.app;
    const [job] = retentionJobs(service.app);
    const worker = random.uuid();
    await db.run(
      `insert into workers (id, name, started_at, seen_at)
       values ($1, 'dead', clock_timestamp(), clock_timestamp() - interval '2 days')`,
      [worker],
    );
    const isRecorded = async () =>
      (await db.rows('select from workers where id = $1', [worker])).length === 1;
    await db.run(insertClaimed, [random.uuid(), worker]);
    await job?.run(service.worker);
    expect(await isRecorded()).toBe(true);
    await db.run(`delete from ${queue} where worker_id = $1`, [worker]);
    await job?.run(service.worker);
    expect(await isRecorded()).toBe(false);
  },
);
