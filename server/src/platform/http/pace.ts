/**
 * Spreads an account's accepted calls over each second. A rate limit alone would admit them all in the same moment, and they
 * would delay the sends of every account.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../clock.ts';
import { limitSize } from '../limit-size.ts';

export interface Pace {
  /** Waits for the account's turn. False if it would wait too long, and the call should be refused. */
  turn(account_id: string, perSecond: number): Promise<boolean>;
}

/** How many of an account's calls start without delay. More than any screen makes when it opens. */
export const BURST = 10;
/** Twice the longest wait that a limit per second can cause, which occurs at the boundary of two seconds. */
export const WAIT_MAX_MS = 2_000;
/** Bounds memory. The least recently used entries are dropped first. */
const ACCOUNTS_MAX = 10_000;

interface Time {
  nowMs(): number;
  sleep(ms: number): Promise<void>;
}
const REAL: Time = { nowMs: () => monotonicMs(), sleep };

export function createPace({ nowMs, sleep }: Time = REAL): Pace {
  /** The time at which each account's next call would be due at an even rate. */
  const evenMs = new Map<string, number>();
  return {
    async turn(account_id, perSecond) {
      const now = nowMs();
      const intervalMs = 1_000 / perSecond;
      const even = Math.max(evenMs.get(account_id) ?? now, now);
      const waitMs = even - now - (BURST - 1) * intervalMs;
      if (waitMs > WAIT_MAX_MS) return false;
      evenMs.delete(account_id);
      evenMs.set(account_id, even + intervalMs);
      limitSize(evenMs, ACCOUNTS_MAX);
      if (waitMs > 0) await sleep(waitMs);
      return true;
    },
  };
}
