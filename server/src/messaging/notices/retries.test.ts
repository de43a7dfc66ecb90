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

test('a notice with a five-minute code is retried after 2, 4 and 8 seconds, then at least every 15 seconds', () => {
  const begun = rounds(300);
  expect(begun.slice(0, 5)).toEqual([0, 2, 6, 14, 28]);
  expect(longestPause(begun)).toBeLessThanOrEqual(15);
  expect(begun.at(-1)).toBeGreaterThan(295);
});

test('a notice with a half-hour link is retried at least every ninety seconds', () => {
  expect(longestPause(rounds(1_800))).toBeLessThanOrEqual(90);
});

test('a notice that is valid for a day is retried at least every ten minutes', () => {
  const begun = rounds(86_400);
  expect(longestPause(begun)).toBe(600);
  expect(begun.length).toBeLessThan(300);
});

test('notices that failed together are retried with a jitter of 20 %', () => {
  const pause = (first: number) => retrySeconds(drawn(first), { rounds: 3, remainingSeconds: 290 });
  expect(pause(0)).toBeCloseTo(6.4, 5);
  expect(pause(255)).toBeCloseTo(9.6, 1);
});
