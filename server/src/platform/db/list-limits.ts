/**
 * Limits how much one account's lists and searches can slow down other accounts. A process runs at most two lists per account
 * and six in total, so that sends always find a free connection; other lists wait in a fair queue. At most one of an account's
 * lists may be only a count, so that the next page does not wait for counts. The database cancels a statement after five
 * seconds, and the connection returns to the pool. The timeout is local to the transaction, because a pooler may give the
 * session to another client. With READ_DATABASE_URL, lists read from a standby.
 */

import type { CountMode } from '@sixdigit/contract/list.ts';
import { type FairSlots, fairSlots } from '../fair-slots.ts';
import { Failure } from '../http/failure.ts';
import { type Db, throughTransactions } from './sql.ts';
import { readForLists } from './standby-reads.ts';

const AN_ACCOUNT = 2;
const A_PROCESS = 6;
const WAITING_AN_ACCOUNT = 30;
const TIMEOUT_MS = 5_000;
const RETRY_SECONDS = 5;
const CANCELED = '57014';

const slotsOf = new WeakMap<Db['pool'], FairSlots>();

interface Limits {
  timeoutMs?: number;
  /** the request only needs the count, without rows */
  isCount?: boolean;
  /** Aborted when the client disconnects. A list that is still waiting then does not start. */
  signal?: AbortSignal;
}

/** The limits of a list whose count can be requested separately. */
export const limitsOf = ({ count }: { count: CountMode }, { signal }: { signal: AbortSignal }): Limits => ({
  isCount: count === 'only',
  signal,
});

/**
 * Throws `list_timeout` if a statement takes too long, and `too_many_requests` if too many of the account's lists are waiting.
 */
export async function withinListLimits<T>(
  db: Db,
  account_id: string,
  work: (db: Db) => Promise<T>,
  { timeoutMs = TIMEOUT_MS, isCount = false, signal }: Limits = {},
): Promise<T> {
  const slots =
    slotsOf.get(db.pool) ??
    fairSlots({ anAccount: AN_ACCOUNT, aProcess: A_PROCESS, waitingAnAccount: WAITING_AN_ACCOUNT });
  slotsOf.set(db.pool, slots);
  return slots.run(account_id, () => readForLists(db, (read) => work(timed(read, timeoutMs))), {
    isCount,
    signal,
  });
}

/** The same database with a timeout on every statement. */
function timed(db: Db, timeoutMs: number): Db {
  const within: Db['transaction'] = (work) =>
    db.transaction(
      (tx) =>
        work(tx).catch((error: unknown) => {
          // Replaces the database error, which would close the connection as if the database were unavailable.
          throw isCanceled(error)
            ? new Failure('list_timeout', { retry_after: RETRY_SECONDS }, { cause: error })
            : error;
        }),
      { timeoutMs },
    );
  return throughTransactions(db, within);
}

const isCanceled = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === CANCELED;
