import { expect, test } from 'vitest';
import { BURST, createOverLimit, WAITING_MAX } from './over-limit.ts';

test('a refusal is remembered for 50 ms and no longer', () => {
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

test('after a burst, an account gets one refusal at a time, and refusals of other accounts do not wait', async () => {
  const time = steps();
  const overLimit = createOverLimit<string>(time);
  const left: string[] = [];
  const refuse = (account_id: string) => void overLimit.turn(account_id).then(() => left.push(account_id));
  for (let n = 0; n < BURST + 2; n += 1) refuse('Mallory');
  refuse('Alice');
  await new Promise(setImmediate);
  expect(left.splice(0)).toEqual([...Array.from({ length: BURST }, () => 'Mallory'), 'Alice']);
  await time.next();
  expect(left).toEqual(['Mallory']);
  await time.next();
  expect(left).toEqual(['Mallory', 'Mallory']);
});

test('after a pause, an account has a whole burst again, and nothing is scheduled', async () => {
  const time = steps();
  const overLimit = createOverLimit<string>(time);
  const burst = () => Promise.all(Array.from({ length: BURST }, () => overLimit.turn('Mallory')));
  await burst();
  for (let n = 0; n < BURST; n += 1) await time.next();
  expect(time.count).toBe(0);
  expect(await burst()).toHaveLength(BURST);
});

test('a connection should close when a second of refusals waits', async () => {
  const time = steps();
  const overLimit = createOverLimit<string>(time);
  const answers = Array.from({ length: BURST + WAITING_MAX }, () => overLimit.turn('Mallory'));
  expect(await overLimit.turn('Mallory')).toBe(false);
  expect(await overLimit.turn('Alice')).toBe(true);
  for (let n = 0; n < WAITING_MAX; n += 1) await time.next();
  expect(new Set(await Promise.all(answers))).toEqual(new Set([true]));
});
