import { expect, test, vi } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { startTcpProxy } from '../../../test/fakes/tcp-proxy.ts';
import { systemClock } from '../clock.ts';
import { startConnectionWatchdog } from './connection-watchdog.ts';
import { isDatabaseUnavailable, openDb } from './sql.ts';

/** Connections to a database of the test's own through a proxy that can forget them, in real time. */
async function proxied() {
  const database = await testDatabase();
  const { proxy, url } = await startTcpProxy(database.url);
  const warn = vi.fn();
  const db = openDb({ url, log: { warn } });
  const watching = startConnectionWatchdog({ db, clock: systemClock, log: { warn } as never }, url);
  const watchers = async () =>
    (
      await db.one<{ n: number }>(
        `select count(*) as n from pg_stat_activity where application_name = 'sixdigit watch' and datname = current_database()`,
      )
    ).n;
  // Its own connection is there, and ours are.
  await vi.waitFor(async () => expect(await watchers()).toBe(1), { timeout: 20_000 });
  await Promise.all(Array.from({ length: 5 }, () => db.one('select pg_sleep(0.05)')));
  return {
    proxy,
    db,
    warn,
    async [Symbol.asyncDispose]() {
      await proxy.join();
      await watching.stop();
      await db.close();
      await proxy.cut();
      await database[Symbol.asyncDispose]();
    },
  };
}

// Each waits for seconds to pass, so they wait together.
test.concurrent('dead database connections are closed and replaced before their statements time out', async () => {
  await using through = await proxied();
  const { proxy, db, warn } = through;
  proxy.swallow('everything');
  const waiting = await Promise.allSettled(Array.from({ length: 5 }, () => db.one('select 1 as n')));
  expect(warn).toHaveBeenCalledWith({}, 'closed unresponsive database connections');
  expect(waiting.map((one) => one.status === 'rejected' && isDatabaseUnavailable(one.reason))).toEqual(
    Array(5).fill(true),
  );
  expect(await db.one('select 1 as n')).toEqual({ n: 1 });
});

test.concurrent('the connection watchdog does not interrupt a slow statement', async () => {
  await using through = await proxied();
  expect(await through.db.one('select 1 as n from pg_sleep(4)')).toEqual({ n: 1 });
  expect(through.warn).not.toHaveBeenCalled();
});

test.concurrent('a database that stalls and resumes does not lose its connections', async () => {
  await using through = await proxied();
  const { proxy, db } = through;
  proxy.freeze();
  const waiting = db.one('select 1 as n');
  await systemClock.sleep(5_000);
  await proxy.join();
  expect(await waiting).toEqual({ n: 1 });
  expect(through.warn).not.toHaveBeenCalled();
});

test.concurrent('a pooler that accepts connections while its database hangs does not lose its connections', async () => {
  await using through = await proxied();
  const { proxy, db } = through;
  proxy.greetsOnly = true;
  proxy.swallow('everything');
  const waiting = db.one('select 1 as n');
  await systemClock.sleep(6_000);
  expect(through.warn).not.toHaveBeenCalled();
  await proxy.cut();
  await expect(waiting).rejects.toThrow();
});
