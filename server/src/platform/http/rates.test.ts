import { listApiKeys } from '@sixdigit/contract/api-keys.ts';
import { expect, test } from 'vitest';
import { stopDatabaseClock } from '../../../test/clock.ts';
import { testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { createOverLimit, BURST as OVER_LIMIT_BURST, WAITING_MAX } from './over-limit.ts';
import { BURST, createPace, WAIT_MAX_MS } from './person-rate.ts';

const PER_SECOND = 20;
const INTERVAL_MS = 1_000 / PER_SECOND;

/** A pace whose time stands still, and which notes how long each call waits. */
function stopped() {
  const time = { ms: 5_000 };
  const waits: number[] = [];
  const pace = createPace({ nowMs: () => time.ms, sleep: async (ms) => void waits.push(ms) });
  const turns = async (account_id: string, calls: number): Promise<{ ms: number; accepted: number }> => {
    waits.length = 0;
    const answers = await Promise.all(Array.from({ length: calls }, () => pace.turn(account_id, PER_SECOND)));
    return { ms: Math.max(0, ...waits), accepted: answers.filter(Boolean).length };
  };
  return { time, waits, turns };
}

test('the calls of one screen start immediately, and further calls of the account at an even rate', async () => {
  const { waits, turns } = stopped();
  expect(await turns('Mallory', BURST)).toEqual({ ms: 0, accepted: BURST });
  expect(await turns('Mallory', 3)).toEqual({ ms: 3 * INTERVAL_MS, accepted: 3 });
  expect(waits).toEqual([INTERVAL_MS, 2 * INTERVAL_MS, 3 * INTERVAL_MS]);
  expect(await turns('Alice', BURST)).toEqual({ ms: 0, accepted: BURST });
});

test('up to two seconds of calls above the rate limit wait, and further calls are refused', async () => {
  const { turns } = stopped();
  const most = BURST + WAIT_MAX_MS / INTERVAL_MS;
  expect(await turns('Mallory', most + 5)).toEqual({ ms: WAIT_MAX_MS, accepted: most });
  expect(await turns('Alice', 1)).toEqual({ ms: 0, accepted: 1 });
});

test('an account regains one immediate call per interval, up to a burst', async () => {
  const { time, turns } = stopped();
  await turns('Mallory', BURST);
  time.ms += 2 * INTERVAL_MS;
  expect(await turns('Mallory', 3)).toEqual({ ms: INTERVAL_MS, accepted: 3 });
  time.ms += 3_600_000;
  expect(await turns('Mallory', BURST + 1)).toEqual({ ms: INTERVAL_MS, accepted: BURST + 1 });
});

test('the calls of an account and of a key are counted together within a second, and then anew', async () => {
  await using service = await testService();
  const { account_id, api_key_id } = await service.customer('Alice');
  const { hash } = await service.app.db.one<{ hash: string }>(
    `select '\\x' || encode(hash, 'hex') as hash from api_keys where id = $1`,
    [api_key_id],
  );
  for (const [call, id] of [
    ['admit_accounts(array[$1]::uuid[])', account_id],
    [`admit_requests(array[$1]::bytea[], '{1}', '{null}')`, hash],
  ] as const) {
    const used: number[] = [];
    for (const second of [0, 0, 1, 1]) {
      await stopDatabaseClock(service.databaseUrl, new Date(second * 1_000));
      used.push((await service.app.db.one<{ used: number }>(`select used from ${call}`, [id])).used);
    }
    expect(used).toEqual([1, 2, 1, 2]);
  }
});

test('calls are rate-limited per account over all its sessions, without affecting other accounts', async () => {
  await using service = await testService({ env: { DASHBOARD_REQUESTS_PER_SECOND: '10' } });
  const alice = await service.customer('Alice');
  const bob = await service.customer('Bob');
  const sessions = [await signedIn(service, alice), await signedIn(service, alice)];
  const bearer = await signedIn(service, bob);
  await stopDatabaseClock(service.databaseUrl, new Date());
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, n) => service.call(listApiKeys, { bearer: sessions[n % 2] ?? '' })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  const refused = answers.find(({ status }) => status !== 200);
  expect(refused).toMatchObject({ status: 429, body: { reason: 'too_many_requests', retry_after: 1 } });
  expect(refused?.headers).toMatchObject({
    'retry-after': '1',
    'ratelimit-limit': '10',
    'ratelimit-remaining': '0',
    'ratelimit-reset': '1',
  });
  const other = await service.call(listApiKeys, { bearer });
  expect(other.status).toBe(200);
  expect(other.headers['ratelimit-remaining']).toBe('9');
});

test('calls of an account above a burst start at the rate of its limit', async () => {
  await using service = await testService({ env: { DASHBOARD_REQUESTS_PER_SECOND: '100' } });
  const bearer = await signedIn(service, await service.customer('Alice'));
  const beganMs = performance.now();
  const answers = await Promise.all(
    Array.from({ length: BURST + 20 }, () => service.call(listApiKeys, { bearer })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(performance.now() - beganMs).toBeGreaterThan(195);
});

test('a refused credential is cached for exactly 50 ms', () => {
  let nowMs = 1_000;
  const overLimit = createOverLimit<string>({ nowMs: () => nowMs, later: () => undefined });
  overLimit.hold('key', 'Mallory');
  nowMs += 49;
  expect(overLimit.find('key')).toBe('Mallory');
  expect(overLimit.find('another key')).toBeUndefined();
  nowMs += 1;
  expect(overLimit.find('key')).toBeUndefined();
});

test('at most 10,000 refused credentials stay in memory, the newest ones', () => {
  const overLimit = createOverLimit<number>({ nowMs: () => 0, later: () => undefined });
  for (let n = 0; n <= 10_000; n += 1) overLimit.hold(`key ${n}`, n);
  expect(overLimit.find('key 0')).toBeUndefined();
  expect(overLimit.find('key 1')).toBe(1);
  expect(overLimit.find('key 10000')).toBe(10_000);
});

/** A scheduler that runs its work when the test calls `next`. */
function steps() {
  let scheduled: (() => void)[] = [];
  return {
    nowMs: () => 0,
    later: (work: () => void) => void scheduled.push(work),
    get count() {
      return scheduled.length;
    },
    async next() {
      const works = scheduled;
      scheduled = [];
      for (const work of works) work();
      await new Promise(setImmediate);
    },
  };
}

test('after a burst, refusals of one account are paced, and those of other accounts do not wait', async () => {
  const time = steps();
  const overLimit = createOverLimit<string>(time);
  const left: string[] = [];
  const refuse = (account_id: string) => void overLimit.turn(account_id).then(() => left.push(account_id));
  for (let n = 0; n < OVER_LIMIT_BURST + 2; n += 1) refuse('Mallory');
  refuse('Alice');
  await new Promise(setImmediate);
  expect(left.splice(0)).toEqual([...Array.from({ length: OVER_LIMIT_BURST }, () => 'Mallory'), 'Alice']);
  await time.next();
  expect(left).toEqual(['Mallory']);
  await time.next();
  expect(left).toEqual(['Mallory', 'Mallory']);
});

test('after a pause, an account has a full burst of refusals again, and no timer remains', async () => {
  const time = steps();
  const overLimit = createOverLimit<string>(time);
  const burst = () => Promise.all(Array.from({ length: OVER_LIMIT_BURST }, () => overLimit.turn('Mallory')));
  await burst();
  for (let n = 0; n < OVER_LIMIT_BURST; n += 1) await time.next();
  expect(time.count).toBe(0);
  expect(await burst()).toHaveLength(OVER_LIMIT_BURST);
});

test('a connection is closed when one second of refusals is waiting', async () => {
  const time = steps();
  const overLimit = createOverLimit<string>(time);
  const answers = Array.from({ length: OVER_LIMIT_BURST + WAITING_MAX }, () => overLimit.turn('Mallory'));
  expect(await overLimit.turn('Mallory')).toBe(false);
  expect(await overLimit.turn('Alice')).toBe(true);
  for (let n = 0; n < WAITING_MAX; n += 1) await time.next();
  expect(new Set(await Promise.all(answers))).toEqual(new Set([true]));
});

test('after a burst of refusals, costly work for the same caller waits its turn, and for others it does not', async () => {
  const time = steps();
  const overLimit = createOverLimit<string>(time);
  for (let n = 0; n < OVER_LIMIT_BURST; n += 1) {
    expect(await overLimit.admit('Mallory')).toBe(true);
    overLimit.count('Mallory');
  }
  const worked: string[] = [];
  const work = (id: string) => void overLimit.admit(id).then(() => worked.push(id));
  for (const id of ['Mallory', 'Mallory', 'Alice']) work(id);
  await new Promise(setImmediate);
  expect(worked).toEqual(['Alice']);
  await time.next();
  expect(worked).toEqual(['Alice', 'Mallory']);
  for (let n = 1; n < WAITING_MAX; n += 1) work('Mallory');
  expect(await overLimit.admit('Mallory')).toBe(false);
});
