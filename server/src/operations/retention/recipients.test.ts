import { sendOtp } from '@sixdigit/contract/otp.ts';
import { exportRequestLogs, listRequestLogs } from '@sixdigit/contract/request-logs.ts';
import { exportVerifications, getVerification, listVerifications } from '@sixdigit/contract/verifications.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Customer, type TestService, testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { eraseRecipient } from '../../deletion/deletion.ts';
import { lock } from '../../platform/db/advisory-locks.ts';
import { hashesFor } from '../../platform/db/removed-recipients.ts';
import { openDb } from '../../platform/db/sql.ts';
import { maskedRecipient } from '../../platform/security/masks.ts';
import { createVault } from '../../platform/security/vault.ts';
import { retentionJobs } from './retention.ts';

const DAY = 86_400_000;
const PHONE = '+14155552671';

let service: TestService;
let alice: Customer;

beforeEach(async () => {
  service = await testService({
    env: { RETENTION_DAYS: '200', LOG_RETENTION_DAYS: '100', RECIPIENT_RETENTION_DAYS: '40' },
  });
  alice = await service.customer('Alice', { credits: 5_000 });
});
afterEach(() => service[Symbol.asyncDispose]());

const send = async (body: {
  channel: 'sms' | 'email';
  recipient: string;
  message?: string;
  metadata?: Record<string, string>;
}) => {
  const sent = await service.call(sendOtp, { apiKey: alice.api_key, body });
  expect(sent.status).toBe(201);
  await service.deliver();
  return sent.body.otp_id;
};
const keepHouse = () => service.drain({ keepHouse: true });
const count = async (table: string) =>
  (await service.app.db.one<{ n: number }>(`select count(*) as n from ${table}`)).n;

/** Every row that names the text, in any table of sends. */
const naming = async (text: string) => {
  const found: string[] = [];
  for (const table of ['verifications', 'status_history', 'request_logs', 'recipients', 'deliveries'])
    for (const { row } of await service.app.db.rows<{ row: string }>(
      `select to_jsonb(t)::text as row from ${table} t`,
    ))
      if (row.replace(/[^0-9a-z@.]/g, '').includes(text)) found.push(`${table}: ${row}`);
  return found;
};

async function seenBy(bearer: string, search: string) {
  const query = { search };
  const otps = await service.call(listVerifications, { bearer, query });
  const requests = await service.call(listRequestLogs, { bearer, query });
  return {
    otps: otps.body.results.map(({ recipient }) => recipient),
    requests: requests.body.results.map(({ otp }) => otp?.recipient),
  };
}

test('request logs are removed after LOG_RETENTION_DAYS, and verifications stay', async () => {
  await send({ channel: 'sms', recipient: PHONE });
  await service.clock.advance(99 * DAY);
  await keepHouse();
  expect(await count('request_logs')).toBe(1);
  await service.clock.advance(2 * DAY);
  await keepHouse();
  expect([await count('request_logs'), await count('verifications')]).toEqual([0, 1]);
  await service.clock.advance(100 * DAY);
  await keepHouse();
  expect(await count('verifications')).toBe(0);
});

test('after RECIPIENT_RETENTION_DAYS, lists, details and exports show a recipient as removed', async () => {
  const id = await send({
    channel: 'sms',
    recipient: PHONE,
    message: `Call ${PHONE}: {code}`,
    metadata: { customer: 'c-77' },
  });
  const { db } = service.app;
  await db.run(`update verifications set failure = 'no route to 415-555-2671', provider_message_id = $1`, [
    `to:${PHONE}`,
  ]);
  await db.run(
    `insert into status_history (account_id, otp_id, changed_at, new_status, notes)
     select account_id, id, clock_now(), 'failed', 'Refused: 4155552671' from verifications`,
  );
  await service.clock.advance(39 * DAY);
  await keepHouse();
  expect((await naming('4155552671')).length).toBeGreaterThan(2);
  await service.clock.advance(2 * DAY);
  await keepHouse();
  expect(await naming('4155552671')).toEqual([]);
  const bearer = await signedIn(service, alice);
  const removed = { otps: ['[removed]'], requests: ['[removed]'] };
  for (const spelling of ['', PHONE, '(415) 555-2671', '4155552671'])
    expect(await seenBy(bearer, spelling), spelling).toEqual(removed);
  const none = { otps: [], requests: [] };
  for (const other of ['555-2671', '+14155552672', 'a@example.com'])
    expect(await seenBy(bearer, other), other).toEqual(none);
  const detail = await service.call(getVerification, { bearer, params: { id } });
  expect(detail.body).toMatchObject({
    recipient: '[removed]',
    message: 'Call [removed]: {code}',
    failure: 'no route to [removed]',
    metadata: null,
  });
  for (const exported of [exportVerifications, exportRequestLogs] as const) {
    const csv = (await service.call(exported, { bearer, query: { search: PHONE } })).body.text;
    expect(csv).toContain('"[removed]"');
    // An id can contain any four digits.
    expect(csv.replaceAll(/[0-9a-f-]{36}/g, '')).not.toContain('2671');
  }
});

test('a removed e-mail address is found by the whole address, in any case', async () => {
  await send({ channel: 'email', recipient: 'pat@example.com' });
  await service.clock.advance(41 * DAY);
  await keepHouse();
  const bearer = await signedIn(service, alice);
  expect((await seenBy(bearer, 'Pat@Example.com')).otps).toEqual(['[removed]']);
  expect((await seenBy(bearer, 'pat@')).otps).toEqual([]);
});

test('a recipient removed under a previous server key is found', () => {
  const { config, random } = service.app;
  const cost = { N: 2, r: 1 };
  const old = createVault('the previous server key', [], random, cost);
  const vault = createVault('the current server key', ['the previous server key'], random, cost);
  const [hash] = hashesFor({ config, vault: old }, PHONE, undefined);
  expect(hashesFor({ config, vault }, '(415) 555-2671', undefined)).toContainEqual(hash);
  expect(hashesFor({ config, vault }, PHONE, PHONE), 'for an operator').toContainEqual(hash);
  expect(hashesFor({ config, vault }, PHONE, null)).toEqual([]);
});

test('an operator sees that a recipient was removed', () => {
  expect(maskedRecipient('[removed]')).toBe('[removed]');
});

test('an erasure finds removed recipients and leaves no hash of them', async () => {
  await send({ channel: 'sms', recipient: PHONE });
  await send({ channel: 'email', recipient: 'other@example.com' });
  await service.clock.advance(41 * DAY);
  await keepHouse();
  expect(await eraseRecipient(service.app, PHONE)).toMatchObject({ verifications: 1, request_logs: 1 });
  const { db } = service.app;
  for (const table of ['verifications', 'request_logs'])
    expect(
      await db.rows(`select recipient, recipient_hash is null as unhashed from ${table} order by id`),
    ).toEqual([
      { recipient: '[erased]', unhashed: true },
      { recipient: '[removed]', unhashed: false },
    ]);
  const bearer = await signedIn(service, alice);
  expect(await seenBy(bearer, PHONE)).toEqual({ otps: [], requests: [] });
});

test('an erased recipient stays erased when its retention ends', async () => {
  await send({ channel: 'sms', recipient: PHONE });
  await eraseRecipient(service.app, PHONE);
  await service.clock.advance(41 * DAY);
  await keepHouse();
  expect(await service.app.db.rows('select recipient, recipient_hash from verifications')).toEqual([
    { recipient: '[erased]', recipient_hash: null },
  ]);
});

test('recipients of thousands of verifications in one second are removed in bounded batches', async () => {
  const { db } = service.app;
  await db.run(
    `insert into verifications (account_id, id, api_key_id, created_at, expires_at, cost_credits, code_length, channel,
       recipient, status)
     select $1, overlay(gen_random_uuid()::text placing left(uuid_floor(clock_now())::text, 13) from 1 for 13)::uuid, $1,
       clock_now(), clock_now(), 1, 6, 'sms', '+1415555' || n, 'failed' from generate_series(1000, 6999) n`,
    [alice.account_id],
  );
  await send({ channel: 'sms', recipient: PHONE });
  await service.clock.advance(41 * DAY);
  const job = retentionJobs(service.app).find(({ name }) => name === 'recipient-retention');
  const named = () => count(`verifications where recipient_hash is null`);
  expect(await job?.run(service.worker)).toBe(true);
  expect(await named()).toBeGreaterThanOrEqual(4_001);
  for (let rounds = 0; await job?.run(service.worker); rounds += 1) expect(rounds).toBeLessThan(20);
  expect(await named()).toBe(0);
  expect(await job?.run(service.worker), 'a finished removal has nothing to do').toBe(false);
  await send({ channel: 'sms', recipient: '+14155559999' });
  await service.clock.advance(41 * DAY);
  await keepHouse();
  expect(await named()).toBe(0);
});

test('no recipient is removed while another process runs the retention', async () => {
  await send({ channel: 'sms', recipient: PHONE });
  await service.clock.advance(41 * DAY);
  const other = openDb({ url: service.databaseUrl, log: service.app.log, max: 1 });
  const job = retentionJobs(service.app).find(({ name }) => name === 'recipient-retention');
  await other.transaction(async (tx) => {
    await lock(tx, 'retention');
    await job?.run(service.worker);
    expect(await count(`verifications where recipient_hash is null`)).toBe(1);
  });
  await job?.run(service.worker);
  expect(await count(`verifications where recipient_hash is null`)).toBe(0);
  await other.close();
});

test('a month that is over has an index that finds removed recipients', async () => {
  await send({ channel: 'sms', recipient: PHONE });
  await service.clock.advance(41 * DAY);
  for (let round = 0; round < 8; round += 1) await keepHouse();
  const indexes = await service.app.db.rows<{ name: string }>(
    `select relname as name from pg_class where relname ~ '^(verifications|request_logs)_[0-9_]+_recipient_hash$'`,
  );
  expect(indexes.length).toBeGreaterThanOrEqual(2);
});
