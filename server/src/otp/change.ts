import type { OtpStatus } from '#contract/otp.ts';
import type { WebhookEvent } from '#contract/webhooks.ts';
import type { Sql } from '../platform/db/sql.ts';

/**
 * One move of one verification, as `apply_changes` (migration 0085) makes it: a guarded update with its history row, its
 * webhook messages and its refund. What is left out stays as it is.
 */
export interface Change {
  account_id: string;
  id: string;
  /** statuses it may have; with another one nothing happens */
  allowed: readonly OtpStatus[];
  to?: OtpStatus;
  note?: string;
  ip?: string | null;
  closed_by?: 'canceled' | 'superseded' | 'attempts';
  /** why it failed, for people */
  failure?: string;
  event?: WebhookEvent;
  /** gives the credit back, once */
  refund?: true;
  /** it can no longer verify: its HMAC goes */
  wipe?: true;
  /** it need not be sent any more, unless a worker has claimed it */
  dequeue?: true;
  sent?: true;
  delivered?: true;
  verified?: true;
  carrier?: string;
  provider_message_id?: string | null;
}

export interface Changed {
  id: string;
  previous_status: OtpStatus;
  status: OtpStatus;
  refunded: boolean;
}

/** A carrier's own id for a message, as far as the database can hold it. */
export const storableId = (id: string | null): string | null =>
  id === null ? null : id.replaceAll('\0', '').slice(0, 200).toWellFormed();

/** Makes the changes that are allowed, in the caller's transaction, and answers which those were. */
export const applyChanges = (tx: Sql, changes: readonly Change[]): Promise<Changed[]> =>
  changes.length === 0
    ? Promise.resolve([])
    : tx.rows<Changed>('select * from apply_changes($1)', [JSON.stringify(changes)]);
