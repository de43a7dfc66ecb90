import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { fixture } from '../../../test/fixture.ts';
import { withinListLimits } from './list-limits.ts';
import { type Db, openDb } from './sql.ts';

const database = fixture(testDatabase);
let db: Db;
beforeAll(async () => {
  db = openDb({ url: database.url, log: { warn: () => undefined }, max: 10 });
});
afterAll(async () => {
  await db.close();
});

test('a list statement that takes too long is canceled with 503, and its connection stays in the pool', async () => {
  const before = db.pool.totalCount;
  const slow = withinListLimits(db, 'alice', (timed) => timed.rows(`select pg_sleep(60), 'a slow list'`), {
    timeoutMs: 50,
  });
  await expect(slow).rejects.toMatchObject({
    status: 503,
    reason: 'list_timeout',
    facts: { retry_after: 5 },
  });
  expect(db.pool.totalCount).toBe(Math.max(before, 1));
  const { running, setting } = await db.one<{ running: number; setting: string }>(
    `select (select count(*) from pg_stat_activity where query like '%a slow list%' and state = 'active' and pid <> pg_backend_pid()) as running,
       current_setting('statement_timeout') as setting`,
  );
  // The limit was the transaction's own.
  expect({ running, setting }).toEqual({ running: 0, setting: '0' });
});

test('two lists per account and six in total run concurrently, and accounts do not wait for each other’s queues', async () => {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const begin = (account: string) =>
    withinListLimits(db, account, async () => {
      started.push(account);
      await new Promise<void>((end) => ends.push(end));
    });
  const greedy = Array.from({ length: 10 }, () => begin('greedy'));
  await expect.poll(() => started).toEqual(['greedy', 'greedy']);
  const others = ['a', 'b', 'c', 'd', 'e'].map(begin);
  await expect.poll(() => started.length).toBe(6);
  expect(started.slice(2)).toEqual(['a', 'b', 'c', 'd']);
  ends[0]?.();
  await expect.poll(() => started.length).toBe(7);
  expect(started[6]).toBe('e');
  while (started.length < 15 || ends.length > 0) {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
    if (started.length === 15 && ends.length === 0) break;
  }
  await Promise.all([...greedy, ...others]);
});

test('more than thirty waiting lists of an account are refused', async () => {
  let end = () => undefined as void;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const all = Array.from({ length: 33 }, () =>
    withinListLimits(db, 'eager', () => ended).catch((error) => error),
  );
  await expect(withinListLimits(db, 'eager', () => ended)).rejects.toMatchObject({
    reason: 'too_many_requests',
  });
  end();
  expect((await Promise.all(all)).filter((answer) => answer !== undefined)).toHaveLength(1);
});

test('an account’s list counts run one at a time and do not delay its pages', async () => {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const begin = (name: string, isCount: boolean) =>
    withinListLimits(
      db,
      'counting',
      async () => {
        started.push(name);
        await new Promise<void>((end) => ends.set(name, end));
      },
      { isCount },
    );
  const all = [
    begin('count 1', true),
    begin('count 2', true),
    begin('page 1', false),
    begin('page 2', false),
  ];
  await expect.poll(() => started).toEqual(['count 1', 'page 1']);
  ends.get('page 1')?.();
  await expect.poll(() => started).toEqual(['count 1', 'page 1', 'page 2']);
  ends.get('count 1')?.();
  await expect.poll(() => started.at(-1)).toBe('count 2');
  ends.get('page 2')?.();
  ends.get('count 2')?.();
  await Promise.all(all);
});

test('a waiting list whose client disconnects does not run', async () => {
  const ends: (() => void)[] = [];
  const running = [1, 2].map(() =>
    withinListLimits(db, 'leaving', () => new Promise<void>((end) => ends.push(end))),
  );
  await expect.poll(() => ends.length).toBe(2);
  const client = new AbortController();
  const left = withinListLimits(db, 'leaving', () => Promise.reject(new Error('it ran')), client);
  const next = withinListLimits(db, 'leaving', () => Promise.resolve('ran'));
  client.abort();
  await expect(left).rejects.toMatchObject({ reason: 'too_many_requests' });
  for (const end of ends) end();
  await Promise.all(running);
  expect(await next).toBe('ran');
});
