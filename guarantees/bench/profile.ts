/**
 * Where the CPU time of a send and a verify goes, at a steady rate: µs per operation of the service and of PostgreSQL, and the
 * time in each database function. Function times are elapsed times, so they include waits for locks and for other processes.
 */

import type { Sql } from '../../server/src/platform/db/sql.ts';
import { type Account, fillAccounts } from '../harness/accounts.ts';
import { openLoop, type Prepared, verifyRequest } from '../harness/load.ts';
import { SECRET_KEY, startDatabase } from '../harness/processes.ts';
import { notedSends, type Sent } from './lives.ts';
import { postgresCpuUs, type Subject, startSubject, until } from './running-subject.ts';

const RATE = Number(process.env.BENCH_RATE ?? 1000);

interface Snapshot {
  serviceUs: number;
  databaseUs: number;
  functions: Map<string, { calls: number; ms: number }>;
  written: Written;
}

interface Written {
  wal: number;
  transactions: number;
  inserted: number;
  updated: number;
  hot: number;
}

export async function printProfile(seconds: number): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const { url, db, dataDir } = await startDatabase(cleanup, { settings: { track_functions: 'all' } });
  // Creates a year of monthly partitions, so that the profile shows the cost of statements that do not prune old months.
  await db.run(`select ensure_partitions((now() - interval '12 months')::date, 14)`);
  const accounts = await fillAccounts(url, { accounts: 1000, keysEach: 1, webhooks: true });
  const service = await startSubject('subject.ts', ['works'], {
    DATABASE_URL: url,
    SECRET_KEY,
    PUBLIC_URL: 'http://bench.localhost',
  });
  const sent = await sendAll(service, accounts, 2);
  await until(() => sent.every(({ id }) => service.dispatched.has(id)), 30);

  const snapshot = () => takeSnapshot(service, db, dataDir);
  const before = await snapshot();
  const measured = await sendAll(service, accounts, seconds);
  await until(() => measured.every(({ id }) => service.dispatched.has(id)), 30);
  const between = await snapshot();
  await verifyAll(service, measured, seconds);
  const after = await snapshot();
  print('send and dispatch', measured.length, before, between);
  print('verify', measured.length, between, after);
  await service.stop();
}

async function sendAll(service: Subject, accounts: readonly Account[], seconds: number): Promise<Sent[]> {
  const { sent, next, note } = notedSends(accounts);
  await openLoop(service.port, { perSecond: RATE, seconds, connections: 64 }, next, note);
  return sent;
}

async function verifyAll(service: Subject, sent: readonly Sent[], seconds: number): Promise<void> {
  let n = 0;
  const next = (): Prepared | undefined => {
    const one = sent[n++];
    return one && verifyRequest(one.key, one.id, service.dispatched.get(one.id));
  };
  await openLoop(service.port, { perSecond: RATE, seconds, connections: 64 }, next);
}

async function takeSnapshot(service: Subject, db: Sql, dataDir: string): Promise<Snapshot> {
  // PostgreSQL reports the function calls of idle connections within a second.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const rows = await db.rows<{ name: string; calls: number; ms: number }>(
    'select funcname as name, calls, self_time as ms from pg_stat_user_functions',
  );
  return {
    serviceUs: await service.cpu(),
    databaseUs: postgresCpuUs(dataDir),
    functions: new Map(rows.map(({ name, calls, ms }) => [name, { calls, ms }])),
    written: await db.one<Written>(
      `select pg_current_wal_lsn() - '0/0' as wal,
         (select sum(xact_commit) from pg_stat_database where datname = current_database()) as transactions,
         sum(n_tup_ins) as inserted, sum(n_tup_upd) as updated, sum(n_tup_hot_upd) as hot
       from pg_stat_user_tables`,
    ),
  };
}

function print(title: string, operations: number, before: Snapshot, after: Snapshot): void {
  const per = (us: number) => (us / operations).toFixed(0).padStart(6);
  const serviceUs = after.serviceUs - before.serviceUs;
  const databaseUs = after.databaseUs - before.databaseUs;
  console.log(`\n${title}: ${operations} operations at ${RATE} a second, µs per operation`);
  console.log(`${per(serviceUs + databaseUs)}  CPU in all`);
  console.log(`${per(serviceUs)}  CPU of the service`);
  console.log(`${per(databaseUs)}  CPU of PostgreSQL`);
  const each = (of: (written: Written) => number, digits = 2) =>
    ((of(after.written) - of(before.written)) / operations).toFixed(digits);
  console.log(
    `${each(({ wal }) => wal, 0).padStart(6)}  bytes of WAL, in ${each(({ transactions }) => transactions)} transactions`,
  );
  console.log(
    `${each(({ inserted }) => inserted).padStart(6)}  rows inserted, ${each(({ updated }) => updated)} updated, of these ${each(({ hot }) => hot)} without index entries`,
  );
  const functions = [...after.functions].map(([name, { calls, ms }]) => {
    const earlier = before.functions.get(name) ?? { calls: 0, ms: 0 };
    return { name, calls: calls - earlier.calls, ms: ms - earlier.ms };
  });
  for (const { name, calls, ms } of functions.sort((a, b) => b.ms - a.ms)) {
    const us = ms * 1_000;
    if (us / operations < 1) continue;
    const size = (operations / calls).toFixed(1);
    console.log(
      `${per(us)}  elapsed in ${name}: ${calls} calls, ${(us / calls).toFixed(0)} µs each, ${size} operations per call`,
    );
  }
}
