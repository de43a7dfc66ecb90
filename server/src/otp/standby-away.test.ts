import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { runSql } from '../../test/database-url.ts';
import { roomiestFolder } from '../../test/roomiest-folder.ts';
import { type Sender, sender } from '../../test/sender.ts';
import { type TestService, testService } from '../../test/service.ts';
import { type Embedded, startEmbedded } from '../platform/db/embedded.ts';
import { migrate } from '../platform/db/migrate.ts';
import { type Db, openDb } from '../platform/db/sql.ts';

/**
 * Commits of a primary wait for a missing standby. If the wait is canceled, PostgreSQL reports success, but a failover would
 * lose the commit.
 */
let dataDir: string;
let embedded: Embedded;
let service: TestService;
let alice: Sender;
/** A separate connection that observes the server. */
let beside: Db;
let count = 0;
const fresh = () => `reader-${++count}@example.com`;

beforeAll(async () => {
  dataDir = mkdtempSync(join(roomiestFolder(), 'standby-away-'));
  embedded = await startEmbedded({
    dataDir,
    superuser: true,
    settings: { fsync: 'off' },
    log: { info: () => {}, error: () => {} },
  });
  await migrate(embedded.url);
  // Otherwise a read can prune a catalog page and then wait for the standby.
  await runSql(embedded.url, 'vacuum');
  service = await testService({ via: async () => embedded.url });
  beside = openDb({ url: embedded.url, log: service.app.log, max: 2, applicationName: 'beside' });
  alice = await sender(service, 'Alice');
});
afterEach(() => standby('here'));
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await beside.close();
  await embedded.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Turns synchronous replication on or off; resolves once the reload has taken effect. */
async function standby(is: 'away' | 'here'): Promise<void> {
  await runSql(
    embedded.url,
    `alter system set synchronous_standby_names = '${is === 'away' ? 'nobody' : ''}'`,
  );
  await runSql(embedded.url, 'select pg_reload_conf()');
  const waiting = () =>
    beside.rows(`select from pg_stat_activity where wait_event = 'SyncRep' and query = $1`, [PROBE]);
  for (let isCommitted = true; isCommitted; ) {
    isCommitted = false;
    const probe = runSql(embedded.url, PROBE).then(() => {
      isCommitted = true;
    });
    // The reload also ends the wait of a commit that began before it.
    if (is === 'here') return await probe;
    await expect.poll(async () => isCommitted || (await waiting()).length > 0).toBe(true);
  }
}

const PROBE = `select pg_logical_emit_message(true, 'probe', '')`;

const A_BATCH = 'SELECT (write_|record_|pg_logical_emit_message)';

/** The waiting commit of a batch, or of the given statement. */
async function waitingCommit(query = A_BATCH): Promise<number> {
  let pid: number | undefined;
  await vi.waitFor(
    async () => {
      const waiting = await beside.rows<{ pid: number }>(
        `select pid from pg_stat_activity where wait_event = 'SyncRep' and query ~ $1`,
        [query],
      );
      pid = waiting[0]?.pid;
      expect(pid).toBeDefined();
    },
    { timeout: 10_000, interval: 20 },
  );
  return pid as number;
}

const ENDINGS = { canceled: 'pg_cancel_backend', terminated: 'pg_terminate_backend' };
type Ending = keyof typeof ENDINGS;
const endings = Object.keys(ENDINGS) as Ending[];

async function endWait(pid: number, how: Ending = 'canceled'): Promise<void> {
  await beside.run(`select ${ENDINGS[how]}($1)`, [pid]);
  // The backend may wait again, but with another transaction.
  await expect
    .poll(() =>
      beside.rows(`select 1 from pg_stat_activity where pid = $1 and wait_event = 'SyncRep'`, [pid]),
    )
    .toEqual([]);
}

/** Whether the response has arrived, without waiting for it. */
const isAnswered = (answer: Promise<unknown>) =>
  Promise.race([answer.then(() => true), new Promise<boolean>((resolve) => setTimeout(resolve, 200, false))]);

test.each(endings)(
  'a send whose wait for a standby is %s is retried, and accepted once when a standby returns',
  async (how) => {
    const before = await alice.balance();
    const recipient = fresh();
    await standby('away');
    const answer = alice.send(recipient);
    await endWait(await waitingCommit(), how);
    await waitingCommit();
    expect(await isAnswered(answer)).toBe(false);
    await standby('here');
    const { status, body } = await answer;
    expect(status).toBe(201);
    expect(await alice.balance()).toBe(before - 1);
    await service.drain();
    expect(await service.inbox(recipient)).toHaveLength(1);
    expect((await alice.verify(body.otp_id, await alice.code(recipient))).status).toBe(200);
  },
);

test('a send whose wait for a standby is canceled repeatedly is never acknowledged', async () => {
  await standby('away');
  const headers = { 'idempotency-key': 'asked-again' };
  const recipient = fresh();
  const answer = alice.send(recipient, {}, headers);
  await endWait(await waitingCommit());
  await endWait(await waitingCommit());
  expect((await answer).status).toBe(503);
  expect((await answer).headers['retry-after']).toBe('2');

  // The stored response is also not returned before a standby has it.
  const replay = alice.send(recipient, {}, headers);
  await waitingCommit();
  expect(await isAnswered(replay)).toBe(false);
  await standby('here');
  expect((await replay).status).toBe(201);
  expect((await replay).headers['idempotent-replayed']).toBe('true');
});

test.each(endings)(
  'a right code whose wait for a standby is %s succeeds once, after a standby returns',
  async (how) => {
    const recipient = fresh();
    const otp_id = await alice.sent(recipient);
    await service.drain();
    const code = await alice.code(recipient);
    await standby('away');
    const answer = alice.verify(otp_id, code);
    await endWait(await waitingCommit(), how);
    await waitingCommit();
    expect(await isAnswered(answer)).toBe(false);
    await standby('here');
    expect((await answer).status).toBe(200);
    expect((await alice.verify(otp_id, code)).body.reason).toBe('otp_already_verified');
  },
);

test('a refused request does not wait for a standby', async () => {
  const recipient = fresh();
  const poor = await sender(service, 'Bob', { credits: 0, keys: 1 });
  await standby('away');
  expect((await poor.send(recipient)).status).toBe(402);
});

test('a canceled wait for a standby fails the statement and the transaction', async () => {
  const { db } = service.app;
  const touch = `update accounts set first_name = 'Alice' where id = $1`;
  await standby('away');
  const alone = db.run(touch, [alice.account_id]).catch(String);
  await endWait(await waitingCommit('^update accounts'));
  expect(await alone).toBe('Unreplicated: The commit was not confirmed by a standby');
  const together = db.transaction((tx) => tx.run(touch, [alice.account_id])).catch(String);
  await endWait(await waitingCommit('^COMMIT'));
  expect(await together).toBe('Unreplicated: The commit was not confirmed by a standby');
  await standby('here');
  expect(await db.run(touch, [alice.account_id])).toBe(1);
});

test('a request whose commit no standby confirms gets an error within its timeout', async () => {
  await standby('away');
  const { status, headers } = await alice.send(fresh());
  expect([status, headers['retry-after']]).toEqual([503, '2']);
});
