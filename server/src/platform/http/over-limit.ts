/**
 * Makes refusals cheap while one caller floods the service. Once the database has counted a caller above its limit, this
 * process refuses the caller from memory for a short time, without another query. After a short burst, an account's refusals
 * are sent one at a time. This slows a client that waits for its responses to a pace that hardly affects other callers.
 */

import { monotonicMs } from '../clock.ts';
import { limitSize } from '../limit-size.ts';

export interface OverLimit<C> {
  /** The caller with this credential, if it is currently over its limit. */
  find(credential: string): C | undefined;
  /** Makes `find` return this caller for a short time. */
  hold(credential: string, caller: C): void;
  /**
   * Waits until the account's next refusal may be sent. False if too many of its refusals are already waiting; the caller
   * should then close the connection.
   */
  turn(account_id: string): Promise<boolean>;
  /**
   * For a request whose refusal costs more than its response: waits, before the work, while refusals have used up the burst. The
   * caller counts a refusal with `count` afterwards. False if too many already wait.
   */
  admit(id: string): Promise<boolean>;
  /** Counts a refusal that was sent without a turn. */
  count(id: string): void;
}

/** Far below the second in `Retry-After`, so a caller that obeys the header is never refused from memory. */
const HOLD_MS = 50;
/** Bounds memory. The oldest entries are dropped first. */
const CREDENTIALS_MAX = 10_000;
/** How many of an account's refusals are sent without delay, enough for an ordinary burst. */
export const BURST = 20;
const TICK_MS = 4;
/** Refusals wait for at most one second, because `Retry-After` would be useless after a longer wait. */
export const WAITING_MAX = 1_000 / TICK_MS;

interface Refusals {
  /** how many may be sent without delay */
  atOnce: number;
  waiting: (() => void)[];
}

interface Time {
  nowMs(): number;
  later(work: () => void, ms: number): void;
}
const REAL: Time = {
  nowMs: () => monotonicMs(),
  later: (work, ms) => void setTimeout(work, ms).unref(),
};

export function createOverLimit<C>({ nowMs, later }: Time = REAL): OverLimit<C> {
  const held = new Map<string, { caller: C; untilMs: number }>();
  const accounts = new Map<string, Refusals>();

  const tick = (): void => {
    for (const [account_id, refusals] of accounts) {
      const leave = refusals.waiting.shift();
      if (leave) leave();
      else refusals.atOnce += 1;
      if (refusals.atOnce >= BURST) accounts.delete(account_id);
    }
    if (accounts.size > 0) later(tick, TICK_MS);
  };

  const of = (id: string): Refusals => {
    if (accounts.size === 0) later(tick, TICK_MS);
    const refusals = accounts.get(id) ?? { atOnce: BURST, waiting: [] };
    accounts.set(id, refusals);
    return refusals;
  };

  const inLine = async ({ waiting }: Refusals): Promise<boolean> => {
    if (waiting.length >= WAITING_MAX) return false;
    await new Promise<void>((leave) => waiting.push(leave));
    return true;
  };

  return {
    find(credential) {
      const entry = held.get(credential);
      if (!entry) return undefined;
      if (entry.untilMs > nowMs()) return entry.caller;
      held.delete(credential);
      return undefined;
    },
    hold(credential, caller) {
      held.delete(credential);
      held.set(credential, { caller, untilMs: nowMs() + HOLD_MS });
      limitSize(held, CREDENTIALS_MAX);
    },
    async turn(account_id) {
      const refusals = of(account_id);
      if (refusals.atOnce === 0) return inLine(refusals);
      refusals.atOnce -= 1;
      return true;
    },
    async admit(id) {
      const refusals = accounts.get(id);
      return refusals?.atOnce === 0 ? inLine(refusals) : true;
    },
    count(id) {
      const refusals = of(id);
      refusals.atOnce = Math.max(0, refusals.atOnce - 1);
    },
  };
}
