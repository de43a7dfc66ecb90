import { expect, test } from 'vitest';
import { retrySeconds } from './notices.ts';

/** The middle of the random range: no jitter. */
const middle = { random: { bytes: () => Buffer.from([0x80, 0, 0, 0]) } } as never;
const drawn = (first: number) => ({ random: { bytes: () => Buffer.from([first, 0, 0, 0]) } }) as never;

/** The starts of the rounds over the carriers, in whole seconds since the posting, if none succeeds. */
function rounds(lifeSeconds: number): number[] {
  const begun = [0];
  for (;;) {
    const at = begun.at(-1) ?? 0;
    const next = at + retrySeconds(middle, { rounds: begun.length, remainingSeconds: lifeSeconds - at });
    if (next >= lifeSeconds) return begun.map(Math.round);
    begun.push(next);
  }
}
const longestPause = (begun: number[]) => Math.max(...begun.map((at, n) => at - (begun[n - 1] ?? at)));

test('an undelivered notice with a code of five minutes is retried after 2, 4 and 8 seconds, then at least every 15', () => {
  const begun = rounds(300);
  expect(begun.slice(0, 5)).toEqual([0, 2, 6, 14, 28]);
  expect(longestPause(begun)).toBeLessThanOrEqual(15);
  expect(begun.at(-1)).toBeGreaterThan(295);
});

test('an undelivered notice with a link of half an hour is retried at least every ninety seconds', () => {
  expect(longestPause(rounds(1_800))).toBeLessThanOrEqual(90);
});

test('an undelivered notice with news that stays true for a day is retried at least every ten minutes', () => {
  const begun = rounds(86_400);
  expect(longestPause(begun)).toBe(600);
  expect(begun.length).toBeLessThan(300);
});

test('an undelivered notice is retried with a jitter of 20 %, which spreads notices that failed together', () => {
  const pause = (first: number) => retrySeconds(drawn(first), { rounds: 3, remainingSeconds: 290 });
  expect(pause(0)).toBeCloseTo(6.4, 5);
  expect(pause(255)).toBeCloseTo(9.6, 1);
});
