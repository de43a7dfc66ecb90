import { Failure } from '../http/failure.ts';
import type { Db, Queryable } from './sql.ts';

/**
 * Limits how much one account's lists and searches can slow down other accounts. A process runs at most two lists per account
 * and six in total, so that sends always find a free connection; other lists wait in a fair queue. The database cancels a
 * statement after five seconds and the connection returns to the pool. The timeout is local to the transaction, because a pooler
 * may give the session to another client.
 */
const AN_ACCOUNT = 2;
const A_PROCESS = 6;
const WAITING_AN_ACCOUNT = 30;
const TIMEOUT_MS = 5_000;
const RETRY_SECONDS = 5;
const CANCELED = '57014';

interface Slots {
  running: number;
  accounts: Map<string, { running: number; waiting: (() => void)[] }>;
}
const slotsOf = new WeakMap<Db['pool'], Slots>();

interface Limits {
  timeoutMs?: number;
}

/** Throws `list_timeout` if a statement takes too long, `too_many_requests` if too many lists of the account are waiting. */
export async function withinListLimits<T>(
  db: Db,
  account_id: string,
  work: (db: Db) => Promise<T>,
  { timeoutMs = TIMEOUT_MS }: Limits = {},
): Promise<T> {
  const slots = slotsOf.get(db.pool) ?? { running: 0, accounts: new Map() };
  slotsOf.set(db.pool, slots);
  await enter(slots, account_id);
  try {
    return await work(timed(db, timeoutMs));
  } finally {
    leave(slots, account_id);
  }
}

async function enter(slots: Slots, account_id: string): Promise<void> {
  const own = slots.accounts.get(account_id) ?? { running: 0, waiting: [] };
  slots.accounts.set(account_id, own);
  if (own.waiting.length >= WAITING_AN_ACCOUNT) throw new Failure('too_many_requests', { retry_after: 1 });
  await new Promise<void>((start) => {
    own.waiting.push(start);
    startNext(slots);
  });
}

function leave(slots: Slots, account_id: string): void {
  const own = slots.accounts.get(account_id);
  slots.running -= 1;
  if (own) own.running -= 1;
  if (own?.running === 0 && own.waiting.length === 0) slots.accounts.delete(account_id);
  startNext(slots);
}

/** Starts the account with the fewest running lists, then the longest wait since its last turn. */
function startNext(slots: Slots): void {
  const inTurn = [...slots.accounts].sort(([, one], [, other]) => one.running - other.running);
  for (const [account_id, own] of inTurn) {
    if (slots.running >= A_PROCESS) return;
    if (own.running >= AN_ACCOUNT) continue;
    const start = own.waiting.shift();
    if (!start) continue;
    own.running += 1;
    slots.running += 1;
    slots.accounts.delete(account_id);
    slots.accounts.set(account_id, own);
    start();
  }
}

/** The same database with a timeout on every statement. */
function timed(db: Db, timeoutMs: number): Db {
  const within: Db['transaction'] = (work) =>
    db.transaction(
      (tx) =>
        work(tx).catch((error: unknown) => {
          // Not the database error: that would close the connection as if the database were unavailable.
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
