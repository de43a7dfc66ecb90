import type { Needs } from '../../platform/platform.ts';
import { jitter } from '../../platform/security/random.ts';

const FIRST_PAUSE_SECONDS = 2;
const LONGEST_PAUSE_SECONDS = 600;
/** No pause is longer than this share of the remaining lifetime, so that a code is not delayed until it is useless. */
const PAUSE_SHARE = 0.05;
/** Spreads the retries of notices that failed at the same time. */
const JITTER = 0.2;

/**
 * Seconds until the next round over the carriers, by rounds so far: about 2, 4, 8 and so on, up to ten minutes or a twentieth of the
 * remaining lifetime. Close to its expiry a notice is tried about every two seconds.
 */
export function retrySeconds(
  app: Needs<'random'>,
  { rounds, remainingSeconds }: { rounds: number; remainingSeconds: number },
): number {
  const longest = Math.min(LONGEST_PAUSE_SECONDS, remainingSeconds * PAUSE_SHARE);
  const pause = Math.min(FIRST_PAUSE_SECONDS * 2 ** (rounds - 1), longest);
  return Math.max(pause, FIRST_PAUSE_SECONDS) * jitter(app.random, JITTER);
}
