import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/database.ts';
import { startTcpProxy, type TcpProxy } from '../../test/fakes/tcp-proxy.ts';
import { systemClock } from '../clock.ts';
import { watchForSilence } from './silence.ts';
import { type Db, isDatabaseAway, openDb } from './sql.ts';

/** Real connections through a proxy that forgets them, in real time. */
let database: TestDatabase;
let proxy: TcpProxy;
let db: Db;
let watching: ReturnType<typeof watchForSilence>;
const warn = vi.fn();

beforeEach(async () => {
  warn.mockClear();
  database = await testDatabase();
  const started = await startTcpProxy(database.url);
  proxy = started.proxy;
  db = openDb({ url: started.url, log: { warn } });
  watching = watchForSilence({ db, clock: systemClock, log: { warn } as never }, started.url);
  // Its own connection is there, and ours are.
  await vi.waitFor(async () => expect(await watchers()).toBe(1), { timeout: 5_000 });
  await Promise.all(Array.from({ length: 5 }, () => db.one('select pg_sleep(0.05)')));
});
afterEach(async () => {
  await proxy.join();
  await watching.stop();
  await db.close();
  await proxy.cut();
  await database[Symbol.asyncDispose]();
});

const watchers = async () =>
  (
    await db.one<{ n: number }>(
      `select count(*) as n from pg_stat_activity where application_name = 'sixdigit watch' and datname = current_database()`,
    )
  ).n;

test('connections that were forgotten without a word are ended within five seconds, and new ones serve', async () => {
  const startedMs = performance.now();
  proxy.swallow('everything');
  const waiting = await Promise.allSettled(Array.from({ length: 5 }, () => db.one('select 1 as n')));
  expect(performance.now() - startedMs).toBeLessThan(5_000);
  expect(waiting.map((one) => one.status === 'rejected' && isDatabaseAway(one.reason))).toEqual(
    Array(5).fill(true),
  );
  expect(await db.one('select 1 as n')).toEqual({ n: 1 });
  expect(performance.now() - startedMs).toBeLessThan(5_000);
}, 20_000);

test('a statement that takes its time is left alone', async () => {
  expect(await db.one('select 1 as n from pg_sleep(4)')).toEqual({ n: 1 });
  expect(warn).not.toHaveBeenCalled();
}, 20_000);

test('a database that stands still and goes on keeps its connections', async () => {
  proxy.freeze();
  const waiting = db.one('select 1 as n');
  await systemClock.sleep(5_000);
  await proxy.join();
  expect(await waiting).toEqual({ n: 1 });
  expect(warn).not.toHaveBeenCalled();
}, 20_000);

test('a pooler that lets everybody in while its database hangs keeps its connections', async () => {
  proxy.greetsOnly = true;
  proxy.swallow('everything');
  const waiting = db.one('select 1 as n');
  await systemClock.sleep(6_000);
  expect(warn).not.toHaveBeenCalled();
  await proxy.cut();
  await expect(waiting).rejects.toThrow();
}, 20_000);
