import type { OtpStatus } from '@sixdigit/contract/otp.ts';
import type { WebhookEvent } from '@sixdigit/contract/webhooks.ts';
import type { Tx } from '../platform/db/sql.ts';

/**
 * One change of one verification, applied by `apply_changes`: a guarded update with its history row,
 * webhook messages and refund. Omitted fields stay unchanged.
 */
export interface Change {
  account_id: string;
  id: string;
  /** The statuses that allow the change; with any other status nothing happens. */
  allowed: readonly OtpStatus[];
  to?: OtpStatus;
  note?: string;
  ip?: string | null;
  closed_by?: 'canceled' | 'superseded' | 'attempts';
  /** Why it failed, for people. */
  failure?: string;
  event?: WebhookEvent;
  /** Refunds the credit, at most once. */
  refund?: true;
  /** Erases the code's HMAC, so that the verification can no longer succeed. */
  wipe?: true;
  /** Removes the message from the queue unless a worker has claimed it. */
  dequeue?: true;
  /**
   * An acceptance by `carrier`, a delivery report or a right code. If they come in this order, the history stores no line for
   * them, because readers take them from the verification: see `selectStatusLogs`.
   */
  usual?: true;
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

/** The carrier's message id, or null if the database cannot store it. */
export const storableId = (id: string | null): string | null =>
  id === null ? null : id.replaceAll('\0', '').slice(0, 200).toWellFormed();

/** What `apply_changes` reads: several verifications that change alike are one element, of which PostgreSQL reads the rest once. */
export function changesTogether(changes: readonly Change[]): object[] {
  const alike = new Map<string, Change[]>();
  for (const change of changes) {
    const { account_id, id, ip, provider_message_id, ...rest } = change;
    const kind = change.usual ? JSON.stringify(rest) : id;
    const others = alike.get(kind);
    if (others) others.push(change);
    else alike.set(kind, [change]);
  }
  return [...alike.values()].map((all) => {
    const [first] = all as [Change];
    if (all.length === 1) return first;
    const { account_id, id, ip, provider_message_id, ...rest } = first;
    return {
      ...rest,
      account_ids: all.map((change) => change.account_id),
      ids: all.map((change) => change.id),
      ips: all.map((change) => change.ip ?? null),
      provider_message_ids: all.map((change) => change.provider_message_id ?? null),
    };
  });
}

/** Applies the allowed changes in the caller's transaction and returns them. */
export const applyChanges = (tx: Tx, changes: readonly Change[]): Promise<Changed[]> =>
  changes.length === 0
    ? Promise.resolve([])
    : tx.rows<Changed>('select * from apply_changes($1)', [JSON.stringify(changesTogether(changes))]);
