import { expect, test } from 'vitest';
import { retrySeconds } from './policy.ts';

/** The middle of the random range: no jitter. */
const middle = { random: { bytes: () => Buffer.from([0x80, 0, 0, 0]) } } as never;
const drawn = (first: number) => ({ random: { bytes: () => Buffer.from([first, 0, 0, 0]) } }) as never;

/** The starts of the rounds over the carriers, in seconds since the send, if none succeeds. */
function rounds(lifeSeconds: number, app = middle): number[] {
  const begun = [0];
  for (;;) {
    const at = begun.at(-1) ?? 0;
    const pause = retrySeconds(app, {
      rounds: begun.length,
      lifeSeconds,
      remainingSeconds: lifeSeconds - at,
    });
    if (pause === undefined) return begun;
    begun.push(at + pause);
  }
}

test('a message that no carrier accepts is retried after 1, 2, 4, 8 and 16 seconds, then every 30', () => {
  expect(rounds(300)).toEqual([0, 1, 3, 7, 15, 31, 61, 91, 121, 151, 181, 211, 241, 270]);
});

test.each([
  [60, 54],
  [100, 90],
  [300, 270],
  [3600, 3570],
])('that expires after %d seconds is retried for the last time after %d', (life, last) => {
  expect(rounds(life).at(-1)).toBe(last);
});

test('a message that no carrier accepts is retried with a jitter of 20 %, which spreads messages that failed together', () => {
  const pause = (first: number) =>
    retrySeconds(drawn(first), { rounds: 4, lifeSeconds: 300, remainingSeconds: 290 });
  expect(pause(0)).toBeCloseTo(6.4, 5);
  expect(pause(255)).toBeCloseTo(9.6, 1);
});
