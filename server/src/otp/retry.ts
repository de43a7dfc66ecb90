import type { Needs } from '../platform/platform.ts';
import { jitter } from '../platform/random.ts';

/** The pause before the second round over the carriers; each later pause is twice as long. */
const FIRST_PAUSE_SECONDS = 1;
const LONGEST_PAUSE_SECONDS = 30;
/** Spreads the retries of messages that failed at the same time. */
const JITTER = 0.2;
/** The last share of the code's lifetime, in which no retry starts, so that the recipient has time to enter the code. */
const MARGIN_SHARE = 0.1;
const LONGEST_MARGIN_SECONDS = 30;

/**
 * Seconds until the next round over the carriers, by rounds so far: about 1, 2, 4, 8, 16, then 30 each. No round begins in
 * the last 10 % of the code's lifetime (30 seconds at most): returns undefined from then on.
 */
export function retrySeconds(
  app: Needs<'random'>,
  {
    rounds,
    lifeSeconds,
    remainingSeconds,
  }: { rounds: number; lifeSeconds: number; remainingSeconds: number },
): number | undefined {
  const margin = Math.min(lifeSeconds * MARGIN_SHARE, LONGEST_MARGIN_SECONDS);
  const latest = remainingSeconds - margin;
  if (latest <= 0) return undefined;
  const pause = Math.min(FIRST_PAUSE_SECONDS * 2 ** (rounds - 1), LONGEST_PAUSE_SECONDS);
  return Math.min(pause * jitter(app.random, JITTER), latest);
}
