import type { Blocker, Scope } from '@sixdigit/contract/protection/protection.ts';

/** How often a rule objected to sends to a prefix in an hour. */
export interface Objection {
  account_id: string;
  hour: number;
  rule: Blocker;
  scope: Scope;
  prefix: string;
  country: string;
  client: string;
  blocked: number;
  monitored: number;
  first_ms: number;
  last_ms: number;
}

type Subject = Pick<Objection, 'account_id' | 'hour' | 'rule' | 'scope' | 'prefix' | 'country' | 'client'>;

/** Objections that wait to be written, summed by what they are about. */
export interface ObjectionStore {
  add(subject: Subject, seen: { now_ms: number; isBlocked: boolean }): void;
  /** Removes and returns objections: all, or at most 250 of those that are due at a time in ms of the process. */
  take(due: { atMs: number } | 'all'): Objection[];
}

/** Bounds memory while the database is unavailable. */
const MOST = 20_000;
/**
 * How long an objection adds up before it is written. Under an attack, one row then stands for many sends. What was blocked
 * appears in the list of the account soon.
 */
const WAIT_MS = { blocked: 3_000, monitored: 15_000 };
/** One long statement would slow the sends of that moment. The others follow a second later. */
const WRITTEN_AT_ONCE = 250;

export function objectionStore(): ObjectionStore {
  const waiting = new Map<string, { objection: Objection; sinceMs: number }>();
  return {
    add(subject, { now_ms, isBlocked }) {
      const { account_id, hour, rule, scope, prefix, client } = subject;
      const key = `${account_id} ${hour} ${rule} ${scope} ${prefix} ${client}`;
      const known = waiting.get(key)?.objection;
      if (known) {
        if (isBlocked) known.blocked += 1;
        else known.monitored += 1;
        known.last_ms = now_ms;
      } else if (waiting.size < MOST) {
        const counts = { blocked: isBlocked ? 1 : 0, monitored: isBlocked ? 0 : 1 };
        const objection = { ...subject, ...counts, first_ms: now_ms, last_ms: now_ms };
        waiting.set(key, { objection, sinceMs: performance.now() });
      }
    },
    take(due) {
      const entries = [...waiting];
      const taken = due === 'all' ? entries : firstDue(entries, due.atMs);
      for (const [key] of taken) waiting.delete(key);
      return taken.map(([, { objection }]) => objection);
    },
  };
}

/** Blocked sends before monitored ones, each in the order of their first. */
function firstDue<T extends [string, { objection: Objection; sinceMs: number }]>(
  entries: T[],
  atMs: number,
): T[] {
  const isBlocked = ([, { objection }]: T): boolean => objection.blocked > 0;
  const isDue = (entry: T): boolean =>
    atMs - entry[1].sinceMs >= (isBlocked(entry) ? WAIT_MS.blocked : WAIT_MS.monitored);
  const blocked = entries.filter((entry) => isBlocked(entry) && isDue(entry));
  const monitored = entries.filter((entry) => !isBlocked(entry) && isDue(entry));
  return [...blocked, ...monitored].slice(0, WRITTEN_AT_ONCE);
}
