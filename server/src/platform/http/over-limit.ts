/**
 * Makes refusals cheap while one caller floods the service.
 *
 * A caller whom the database counted above its limit is refused from memory for the next moments, without another query. Its
 * refusals leave one at a time, one per turn of the event loop, so requests of other callers wait for one refusal at most.
 */
export interface OverLimit<C> {
  /** The refused caller behind `credential`, while its refusal lasts. */
  find(credential: string): C | undefined;
  /** Refuses `credential` from memory for a moment. */
  hold(credential: string, caller: C): void;
  /** Resolves when a refusal of this account may leave. */
  turn(account_id: string): Promise<void>;
}

/** Far below the second that `Retry-After` names, so a caller that obeys it never meets a refusal from memory. */
const HOLD_MS = 50;
/** Bounds memory. The oldest entries leave first. */
const CREDENTIALS_MAX = 10_000;

export function createOverLimit<C>(nowMs: () => number = () => performance.now()): OverLimit<C> {
  const held = new Map<string, { caller: C; untilMs: number }>();
  const waiting = new Map<string, (() => void)[]>();

  const release = (): void => {
    for (const [account_id, refusals] of waiting) {
      refusals.shift()?.();
      if (refusals.length === 0) waiting.delete(account_id);
    }
    if (waiting.size > 0) setImmediate(release);
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
      if (held.size <= CREDENTIALS_MAX) return;
      for (const oldest of held.keys()) {
        held.delete(oldest);
        break;
      }
    },
    turn: (account_id) =>
      new Promise((resolve) => {
        if (waiting.size === 0) setImmediate(release);
        const refusals = waiting.get(account_id);
        if (refusals) refusals.push(resolve);
        else waiting.set(account_id, [resolve]);
      }),
  };
}
