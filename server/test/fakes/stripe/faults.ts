import type { ErrorBody } from './failure.ts';

/**
 * A fault of an API call.
 * - `error`: returns `status` (500) instead of executing, or after executing (`after`); stored for the idempotency key
 * - `lost`: executes, then the connection closes before the response
 * - `refused`: the connection closes before execution
 * - `hang`: never responds, before or after executing (`after`)
 * - `hold`: waits for `release()`, before executing or between executing and responding (`after`)
 */
export type FaultKind = 'error' | 'lost' | 'refused' | 'hang' | 'hold';

export interface Fault {
  /** `POST /v1/refunds`; a `*` stands for any one part of the path, as in `GET /v1/charges/*`. */
  on: string;
  kind: FaultKind;
  /** The number of calls with the fault; default 1. */
  times?: number;
  when?: 'before' | 'after';
  status?: number;
  error?: Partial<ErrorBody>;
}

export interface PlacedFault {
  /** How many calls met it so far. */
  readonly met: number;
  /** Resolves when the first call has met it. */
  reached: Promise<void>;
  /** Lets held calls go on, and ends the fault. */
  release(): void;
}

/** A fault as one call meets it. */
export interface MetFault {
  kind: FaultKind;
  when: 'before' | 'after';
  status: number;
  error: Partial<ErrorBody>;
  released: Promise<void>;
}

export interface Faults {
  add(fault: Fault): PlacedFault;
  /** The fault of this call. A replayed response can be lost or held like any other, but not replaced. */
  meet(method: string, path: string, isReplayed?: boolean): MetFault | undefined;
  clear(): void;
}

interface Rule extends MetFault {
  pattern: RegExp;
  left: number;
  met: number;
  reach: () => void;
  end: () => void;
}

export function apiFaults(): Faults {
  let rules: Rule[] = [];
  return {
    add(fault) {
      const reached = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      const rule: Rule = {
        kind: fault.kind,
        when: fault.kind === 'lost' ? 'after' : (fault.when ?? 'before'),
        status: fault.status ?? 500,
        error: fault.error ?? {},
        released: released.promise,
        pattern: patternOf(fault.on),
        left: fault.times ?? 1,
        met: 0,
        reach: reached.resolve,
        end: released.resolve,
      };
      rules.push(rule);
      return {
        get met() {
          return rule.met;
        },
        reached: reached.promise,
        release() {
          rules = rules.filter((one) => one !== rule);
          rule.end();
        },
      };
    },
    meet(method, path, isReplayed = false) {
      const rule = rules.find((one) => {
        const isApplicable = one.left > 0 && !(isReplayed && one.kind === 'error');
        return isApplicable && one.pattern.test(`${method} ${path}`);
      });
      if (!rule) return undefined;
      rule.left -= 1;
      rule.met += 1;
      rule.reach();
      return rule;
    },
    clear() {
      for (const rule of rules) rule.end();
      rules = [];
    },
  };
}

function patternOf(on: string): RegExp {
  const escaped = on.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/ ]+');
  return new RegExp(`^${escaped}$`);
}
