import type { Needs } from '../platform/platform.ts';
import { jitter } from '../platform/random.ts';

/** The pause before the second round over the carriers; each further one is twice as long. */
const FIRST_PAUSE_SECONDS = 1;
const LONGEST_PAUSE_SECONDS = 30;
/** So that messages that failed together do not come back together. */
const JITTER = 0.2;
/** A retry leaves the recipient this share of the code's life to enter it, at most so many seconds. */
const MARGIN_SHARE = 0.1;
const LONGEST_MARGIN_SECONDS = 30;

/**
 * Seconds until the next round over the carriers after so many of them: about 1, 2, 4, 8, 16, then every 30. The last round
 * begins 10 % of the code's life before it expires (30 seconds at most): undefined once that moment has passed.
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
