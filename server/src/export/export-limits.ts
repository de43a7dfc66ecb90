import type { Db } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';

/**
 * Limits what exports take from everything else: a process runs two for an account and four in all, and at most two of their
 * statements at once. Between two statements an export holds no connection.
 */
const AN_ACCOUNT = 2;
const A_PROCESS = 4;
const STATEMENTS = 2;
const RETRY_SECONDS = 10;

export interface ExportSlots {
  /** Throws `export_limit_reached`. The result frees the place. */
  enter(account_id: string): () => void;
  /** Waits for a turn of the database. */
  turn<T>(work: () => Promise<T>): Promise<T>;
}

function createSlots(): ExportSlots {
  const running = new Map<string, number>();
  const waiting: (() => void)[] = [];
  let total = 0;
  let working = 0;
  return {
    enter(account_id) {
      const own = running.get(account_id) ?? 0;
      if (own >= AN_ACCOUNT || total >= A_PROCESS)
        throw new Failure('export_limit_reached', { retry_after: RETRY_SECONDS });
      running.set(account_id, own + 1);
      total += 1;
      let isFree = false;
      return () => {
        if (isFree) return;
        isFree = true;
        total -= 1;
        const left = (running.get(account_id) ?? 1) - 1;
        if (left === 0) running.delete(account_id);
        else running.set(account_id, left);
      };
    },
    async turn(work) {
      if (working >= STATEMENTS) await new Promise<void>((start) => waiting.push(start));
      else working += 1;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else working -= 1;
      }
    },
  };
}

const slotsOf = new WeakMap<Db['pool'], ExportSlots>();

/** The limits of a process, which has one pool. */
export function exportSlots(db: Db): ExportSlots {
  const slots = slotsOf.get(db.pool) ?? createSlots();
  slotsOf.set(db.pool, slots);
  return slots;
}
