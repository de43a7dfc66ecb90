import type { ErrorBody } from './objects.ts';

/**
 * A fault of an API call.
 * - `error`: returns `status` (500) instead of executing; stored for the idempotency key
 * - `lost`: executes, then the connection closes before the response
 * - `refused`: the connection closes before execution
 * - `hold`: executes, then waits for `release()` before responding
 */
export interface Fault {
  /** `POST /v1/refunds`; a `*` stands for any one part of the path, as in `GET /v1/payment_intents/*`. */
  on: string;
  kind: 'error' | 'lost' | 'refused' | 'hold';
  /** The number of calls with the fault; default 1. */
  times?: number;
  status?: number;
  error?: Partial<ErrorBody>;
}

interface PlacedFault {
  /** Resolves when the fault affects its first call. */
  reached: Promise<void>;
  /** Releases held calls and ends the fault. */
  release(): void;
}

interface Rule extends Fault {
  pattern: RegExp;
  left: number;
  reach: () => void;
  released: Promise<void>;
  end: () => void;
}

export interface Faults {
  add(fault: Fault): PlacedFault;
  /** The fault of this call. A replayed response can be lost or held like any other, but not replaced. */
  meet(method: string, path: string, isReplayed: boolean): (Fault & { released: Promise<void> }) | undefined;
  clear(): void;
}

export function apiFaults(): Faults {
  let rules: Rule[] = [];
  return {
    add(fault) {
      const reached = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      const rule: Rule = {
        ...fault,
        pattern: new RegExp(`^${fault.on.replaceAll('*', '[^/ ]+')}$`),
        left: fault.times ?? 1,
        reach: reached.resolve,
        released: released.promise,
        end: released.resolve,
      };
      rules.push(rule);
      return {
        reached: reached.promise,
        release() {
          rules = rules.filter((one) => one !== rule);
          rule.end();
        },
      };
    },
    meet(method, path, isReplayed) {
      const rule = rules.find(({ left, kind, pattern }) => {
        return left > 0 && !(isReplayed && kind === 'error') && pattern.test(`${method} ${path}`);
      });
      if (!rule) return undefined;
      rule.left -= 1;
      rule.reach();
      return rule;
    },
    clear() {
      for (const rule of rules) rule.end();
      rules = [];
    },
  };
}
