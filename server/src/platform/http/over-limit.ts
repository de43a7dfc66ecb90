import { monotonicMs } from '../clock.ts';
import { limitSize } from '../limit-size.ts';

/**
 * Makes refusals cheap while one caller floods the service.
 *
 * A caller whom the database counted above its limit is refused from memory for the next moments, without another query. After
 * a short burst, the refusals of an account leave one at a time. A client that waits for its responses is thereby slowed to a
 * pace that costs other callers next to nothing.
 */
export interface OverLimit<C> {
  /** The caller of a credential that is over its limit at this moment. */
  find(credential: string): C | undefined;
  /** Refuses this credential from memory for the next moments. */
  hold(credential: string, caller: C): void;
  /**
   * Waits for the account's turn to be refused. False if too many of its refusals already wait; the connection should then
   * close.
   */
  turn(account_id: string): Promise<boolean>;
}

/** Far below the second that `Retry-After` names, so a caller that obeys it never meets a refusal from memory. */
const HOLD_MS = 50;
/** Bounds memory. The oldest entries are dropped first. */
const CREDENTIALS_MAX = 10_000;
/** Refusals of an account that are sent at once, for an ordinary burst. */
export const BURST = 20;
const TICK_MS = 4;
/** A second of refusals. After a longer wait, `Retry-After` would be useless. */
export const WAITING_MAX = 1_000 / TICK_MS;

interface Refusals {
  /** how many may be sent at once */
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
      if (accounts.size === 0) later(tick, TICK_MS);
      const refusals = accounts.get(account_id) ?? { atOnce: BURST, waiting: [] };
      accounts.set(account_id, refusals);
      if (refusals.atOnce > 0) refusals.atOnce -= 1;
      else if (refusals.waiting.length >= WAITING_MAX) return false;
      else await new Promise<void>((leave) => refusals.waiting.push(leave));
      return true;
    },
  };
}
