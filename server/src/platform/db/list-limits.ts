import type { CountMode } from '@sixdigit/contract/list.ts';
import { Failure } from '../http/failure.ts';
import type { Db, Queryable } from './sql.ts';

/**
 * Limits how much one account's lists and searches can slow down other accounts. A process runs at most two lists per account
 * and six in total, so that sends always find a free connection; other lists wait in a fair queue. At most one of an account's
 * lists may be only a count, so that the next page does not wait for counts. The database cancels a statement after five
 * seconds, and the connection returns to the pool. The timeout is local to the transaction, because a pooler may give the
 * session to another client.
 */
const AN_ACCOUNT = 2;
const A_PROCESS = 6;
const WAITING_AN_ACCOUNT = 30;
const TIMEOUT_MS = 5_000;
const RETRY_SECONDS = 5;
const CANCELED = '57014';

interface Waiting {
  isCount: boolean;
  start: () => void;
}
interface Account {
  running: number;
  isCounting: boolean;
  waiting: Waiting[];
}
interface Slots {
  running: number;
  accounts: Map<string, Account>;
}
const slotsOf = new WeakMap<Db['pool'], Slots>();

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
  const slots = slotsOf.get(db.pool) ?? { running: 0, accounts: new Map() };
  slotsOf.set(db.pool, slots);
  await enter(slots, account_id, { isCount, signal });
  try {
    return await work(timed(db, timeoutMs));
  } finally {
    leave(slots, account_id, isCount);
  }
}

async function enter(
  slots: Slots,
  account_id: string,
  { isCount, signal }: { isCount: boolean; signal: AbortSignal | undefined },
): Promise<void> {
  const own = slots.accounts.get(account_id) ?? { running: 0, isCounting: false, waiting: [] };
  slots.accounts.set(account_id, own);
  const refusal = () => new Failure('too_many_requests', { retry_after: 1 });
  if (own.waiting.length >= WAITING_AN_ACCOUNT) throw refusal();
  await new Promise<void>((start, refuse) => {
    const waiting: Waiting = { isCount, start };
    own.waiting.push(waiting);
    signal?.addEventListener('abort', () => {
      const at = own.waiting.indexOf(waiting);
      if (at === -1) return;
      own.waiting.splice(at, 1);
      forget(slots, account_id);
      refuse(refusal());
    });
    startNext(slots);
  });
}

function leave(slots: Slots, account_id: string, isCount: boolean): void {
  const own = slots.accounts.get(account_id);
  slots.running -= 1;
  if (own) own.running -= 1;
  if (own && isCount) own.isCounting = false;
  forget(slots, account_id);
  startNext(slots);
}

/** Removes the account's entry if it has no lists. */
function forget(slots: Slots, account_id: string): void {
  const own = slots.accounts.get(account_id);
  if (own?.running === 0 && own.waiting.length === 0) slots.accounts.delete(account_id);
}

/**
 * Starts a list of the account with the fewest running lists. Among equals, the account whose last turn was longest ago goes
 * first.
 */
function startNext(slots: Slots): void {
  const inTurn = [...slots.accounts].sort(([, one], [, other]) => one.running - other.running);
  for (const [account_id, own] of inTurn) {
    if (slots.running >= A_PROCESS) return;
    if (own.running >= AN_ACCOUNT) continue;
    const at = own.waiting.findIndex(({ isCount }) => !isCount || !own.isCounting);
    const [next] = at === -1 ? [] : own.waiting.splice(at, 1);
    if (!next) continue;
    own.running += 1;
    own.isCounting ||= next.isCount;
    slots.running += 1;
    slots.accounts.delete(account_id);
    slots.accounts.set(account_id, own);
    next.start();
  }
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
  const alone = <K extends keyof Queryable>(name: K) =>
    ((...args: Parameters<Queryable[K]>) =>
      within((tx) => (tx[name] as (...all: unknown[]) => Promise<never>)(...args))) as Queryable[K];
  return {
    ...db,
    rows: alone('rows'),
    maybe: alone('maybe'),
    one: alone('one'),
    run: alone('run'),
    transaction: within,
  };
}

const isCanceled = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === CANCELED;
