import { expect, test } from 'vitest';
import { BURST, createPace, WAIT_MAX_MS } from './pace.ts';

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

test('a screen full of calls starts at once, and further calls of the account start at an even rate', async () => {
  const { waits, turns } = stopped();
  expect(await turns('Mallory', BURST)).toEqual({ ms: 0, accepted: BURST });
  expect(await turns('Mallory', 3)).toEqual({ ms: 3 * INTERVAL_MS, accepted: 3 });
  expect(waits).toEqual([INTERVAL_MS, 2 * INTERVAL_MS, 3 * INTERVAL_MS]);
  expect(await turns('Alice', BURST)).toEqual({ ms: 0, accepted: BURST });
});

test('two seconds of calls at the limit wait their turn, and calls beyond them are refused', async () => {
  const { turns } = stopped();
  const most = BURST + WAIT_MAX_MS / INTERVAL_MS;
  expect(await turns('Mallory', most + 5)).toEqual({ ms: WAIT_MAX_MS, accepted: most });
  expect(await turns('Alice', 1)).toEqual({ ms: 0, accepted: 1 });
});

test('an account gains a call that starts at once with each interval, and never more than a burst', async () => {
  const { time, turns } = stopped();
  await turns('Mallory', BURST);
  time.ms += 2 * INTERVAL_MS;
  expect(await turns('Mallory', 3)).toEqual({ ms: INTERVAL_MS, accepted: 3 });
  time.ms += 3_600_000;
  expect(await turns('Mallory', BURST + 1)).toEqual({ ms: INTERVAL_MS, accepted: BURST + 1 });
});
