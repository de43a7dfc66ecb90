import { signOut } from '@sixdigit/contract/accounts/sign-in.ts';
import { listApiKeys } from '@sixdigit/contract/api-keys.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { getInsights } from '@sixdigit/contract/insights.ts';
import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { exportTransactions, listTransactions } from '@sixdigit/contract/payments.ts';
import { exportRequestLogs, listRequestLogs } from '@sixdigit/contract/request-logs.ts';
import { exportVerifications, getVerification, listVerifications } from '@sixdigit/contract/verifications.ts';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { runSql } from '../../../test/database-url.ts';
import { type Customer, TEST_KEY_COST, type TestService, testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { type Pair, startPair } from '../../../test/standby.ts';
import { examine } from '../../operations/commands/doctor/doctor.ts';
import { withinListLimits } from './list-limits.ts';
import { openDb } from './sql.ts';
import { openStandby, type ReadSource, type StandbyReads } from './standby-reads.ts';

let pair: Pair;
/** Waits so long that a busy machine replays in time. The standby of `service`. */
let patient: StandbyReads;
/** Waits as long as in operation. The standby of `other`. */
let standby: StandbyReads;
let service: TestService;
let other: TestService;
let alice: Customer;
let bearer: string;
/** Several, because a key may make 30 requests a second. */
let keys: string[];
const sources: ReadSource[] = [];

const serviceOnPair = (reads: StandbyReads) =>
  testService({ via: async () => pair.primaryUrl, standby: reads });

beforeAll(async () => {
  pair = await startPair();
  const log = { warn: () => {}, info: () => {} };
  standby = openStandby({ url: pair.standbyUrl, log });
  patient = openStandby({ url: pair.standbyUrl, log, waitMs: 20_000 });
  service = await serviceOnPair(patient);
  other = await serviceOnPair(standby);
  for (const reads of [standby, patient]) reads.follow((source) => sources.push(source));
  alice = await service.customer('Alice', { credits: 1_000 });
  bearer = await signedIn(service, alice);
  keys = [alice.api_key];
  while (keys.length < 6) keys.push((await service.anotherKey(alice.account_id)).key);
});
afterEach(async () => {
  await pair.startStandby();
  await pair.resumeReplay().catch(() => undefined);
  await untilOnStandby();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
  await standby.close();
  await patient.close();
  await pair[Symbol.asyncDispose]();
});

let count = 0;
async function send(by = service): Promise<string> {
  count += 1;
  const body = { channel: 'email' as const, recipient: `reader-${count}@example.com` };
  const sent = await by.call(sendOtp, { apiKey: keys[count % keys.length] as string, body });
  expect(sent.status).toBe(201);
  return sent.body.otp_id;
}
const listed = async (by = service) => {
  const { status, body } = await by.call(listVerifications, { bearer, query: {} });
  expect(status).toBe(200);
  return body.results.map(({ id }) => id);
};
/** Where the reads of `work` ran. */
async function sourcesOf(work: () => Promise<unknown>): Promise<ReadSource[]> {
  sources.length = 0;
  await work();
  return [...new Set(sources)];
}
const untilOnStandby = (by = service) =>
  vi.waitFor(async () => expect(await sourcesOf(() => listed(by))).toEqual(['standby']), { timeout: 20_000 });

test('lists, insights and exports read from the standby', async () => {
  await send();
  const { call } = service;
  for (const read of [
    listVerifications,
    listRequestLogs,
    listApiKeys,
    listAuditEntries,
    listTransactions,
  ] as const)
    expect(await sourcesOf(() => call(read, { bearer, query: {} })), read.name).toEqual(['standby']);
  expect(await sourcesOf(() => call(getInsights, { bearer, query: {} }))).toEqual(['standby']);
  for (const read of [exportVerifications, exportRequestLogs, exportTransactions] as const)
    expect(await sourcesOf(() => call(read, { bearer, query: {} })), read.name).toEqual(['standby']);
});

test('a list after a send shows it, also one that another process accepted', async () => {
  for (let n = 0; n < 20; n += 1) {
    const [first, second] = [await send(), await send(other)];
    expect(
      await sourcesOf(async () => expect((await listed()).slice(0, 2)).toEqual([second, first])),
    ).toEqual(['standby']);
    expect((await listed(other)).slice(0, 2)).toEqual([second, first]);
  }
});

test('sends, verifies, details and sessions never read from the standby', async () => {
  const used = await sourcesOf(async () => {
    const id = await send();
    await service.call(verifyOtp, { apiKey: alice.api_key, body: { otp_id: id, code: '000000' } });
    await service.call(getVerification, { bearer, params: { id } });
    const signed = await signedIn(service, alice);
    await service.call(signOut, { bearer: signed, body: {} as never });
  });
  expect(used).toEqual([]);
});

test('lists read from the primary while the standby is stopped, and from the standby again later', async () => {
  await pair.stopStandby();
  const id = await send();
  expect(await sourcesOf(async () => expect(await listed()).toContain(id))).toEqual(['primary_unavailable']);
  const exported = await service.call(exportVerifications, { bearer });
  expect(exported.body.text).toContain(id);
  const { text } = await service.app.metrics.scrape(service.app.db);
  expect(text).toMatch(/^sixdigit_read_standby_up 0$/m);
  expect(text).toMatch(/^sixdigit_list_reads_total\{source="primary_unavailable"\} [1-9]/m);
  await pair.startStandby();
  await untilOnStandby();
});

test('a list reads from the primary if the standby is behind, and does not wait while it stays behind', async () => {
  await pair.pauseReplay();
  const id = await send();
  expect(await sourcesOf(async () => expect(await listed(other)).toContain(id))).toEqual(['primary_behind']);
  const { text } = await other.app.metrics.scrape(other.app.db);
  expect(text).toMatch(/^sixdigit_read_standby_up 1$/m);
  expect(text).toMatch(/^sixdigit_read_standby_lag_bytes [1-9]/m);
  await pair.resumeReplay();
  await untilOnStandby(other);
});

test('a list waits for a standby that is briefly behind', async () => {
  await pair.pauseReplay();
  const id = await send();
  const reading = sourcesOf(async () => expect(await listed()).toContain(id));
  const waiting = `select from pg_stat_activity where query like '%as replayed%' and pid <> pg_backend_pid()`;
  await vi.waitFor(async () => expect(await runSql(pair.standbyUrl, waiting)).toHaveLength(1), {
    timeout: 20_000,
  });
  await pair.resumeReplay();
  expect(await reading).toEqual(['standby']);
});

test('a read whose statement fails only on the standby runs on the primary', async () => {
  const { db } = service.app;
  const writing = () =>
    withinListLimits(db, alice.account_id, (read) => read.run('create table stray (n integer)'));
  expect(await sourcesOf(writing)).toEqual(['primary_failed']);
  expect(await sourcesOf(() => listed()), 'other reads stay on the standby').toEqual(['standby']);
});

test('a refusal on the standby is not repeated on the primary', async () => {
  const slow = () =>
    withinListLimits(service.app.db, 'slow', (db) => db.rows('select pg_sleep(5)'), { timeoutMs: 100 });
  expect(await sourcesOf(() => expect(slow()).rejects.toMatchObject({ reason: 'list_timeout' }))).toEqual([
    'standby',
  ]);
});

test('the doctor reports the state of the standby', async () => {
  const about = async (url: string) =>
    (await examine({ DATABASE_URL: pair.primaryUrl, READ_DATABASE_URL: url }, { keyCost: TEST_KEY_COST }))
      .filter((finding) => finding.about === 'read standby')
      .map(({ level, says }) => `${level}: ${says}`);
  expect(await about(pair.standbyUrl)).toEqual([
    expect.stringMatching(/^ok: It is a standby of this primary, \d+ kB of WAL behind\.$/),
  ]);
  expect(await about(pair.primaryUrl)).toEqual([
    'warning: READ_DATABASE_URL leads to a primary. Meanwhile, lists read from the primary.',
  ]);
  expect(await about((await testDatabase()).url)).toEqual([
    'problem: READ_DATABASE_URL leads to another database cluster than DATABASE_URL.',
  ]);
  await pair.stopStandby();
  expect(await about(pair.standbyUrl)).toEqual([
    'warning: It cannot be used: the connection was refused. Meanwhile, lists read from the primary.',
  ]);
});

test('a READ_DATABASE_URL that leads to a primary is not read', async () => {
  const db = openDb({ url: pair.primaryUrl, log: service.app.log, max: 2 });
  const wrong = openStandby({ url: pair.primaryUrl, log: { warn: () => {}, info: () => {} } });
  const used: ReadSource[] = [];
  wrong.follow((source) => used.push(source));
  expect(await wrong.read(db, (read) => read.rows('select 1 as n'))).toEqual([{ n: 1 }]);
  expect(used).toEqual(['primary_unavailable']);
  expect(await wrong.lagBytes(db)).toBeUndefined();
  await wrong.close();
  await db.close();
});
