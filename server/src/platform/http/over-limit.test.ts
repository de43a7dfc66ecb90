import { expect, test } from 'vitest';
import { createOverLimit } from './over-limit.ts';

test('a refusal is remembered for 50 ms and no longer', () => {
  let nowMs = 1_000;
  const overLimit = createOverLimit<string>(() => nowMs);
  overLimit.hold('key', 'Mallory');
  nowMs += 49;
  expect(overLimit.find('key')).toBe('Mallory');
  expect(overLimit.find('another key')).toBeUndefined();
  nowMs += 1;
  expect(overLimit.find('key')).toBeUndefined();
});

test('at most 10,000 refused credentials stay in memory, the newest ones', () => {
  const overLimit = createOverLimit<number>(() => 0);
  for (let n = 0; n <= 10_000; n += 1) overLimit.hold(`key ${n}`, n);
  expect(overLimit.find('key 0')).toBeUndefined();
  expect(overLimit.find('key 1')).toBe(1);
  expect(overLimit.find('key 10000')).toBe(10_000);
});

test('an account gets one refusal per turn of the event loop, and refusals of other accounts do not wait', async () => {
  const overLimit = createOverLimit<string>();
  const left: string[] = [];
  const refusals = ['Mallory', 'Mallory', 'Mallory', 'Alice'].map((account_id) =>
    overLimit.turn(account_id).then(() => left.push(account_id)),
  );
  await new Promise(setImmediate);
  expect(left).toEqual(['Mallory', 'Alice']);
  await new Promise(setImmediate);
  expect(left).toEqual(['Mallory', 'Alice', 'Mallory']);
  await Promise.all(refusals);
  expect(left).toHaveLength(4);
});
