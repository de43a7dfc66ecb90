import type { Tx } from '../platform/db/sql.ts';

/** A suspended account can sign in, but the public API refuses its keys. */
export interface Suspension {
  suspended_at: string | null;
  suspended_reason: string;
}

/** Locks the account until the transaction ends. Undefined if it does not exist or was deleted. */
export const lockSuspension = (tx: Tx, account_id: string): Promise<Suspension | undefined> =>
  tx.maybe<Suspension>(
    `select suspended_at, suspended_reason from accounts where id = $1 and deleted_at is null for no key update`,
    [account_id],
  );

export const suspend = (tx: Tx, account_id: string, reason: string): Promise<number> =>
  tx.run(
    'update accounts set suspended_at = coalesce(suspended_at, clock_now()), suspended_reason = $2 where id = $1',
    [account_id, reason],
  );

export const resume = (tx: Tx, account_id: string): Promise<number> =>
  tx.run(`update accounts set suspended_at = null, suspended_reason = '' where id = $1`, [account_id]);
