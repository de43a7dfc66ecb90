import type { OtpStatus } from '@sixdigit/contract/verifications.ts';
import type { WebhookEvent } from '@sixdigit/contract/webhooks.ts';
import type { Sql, Tx } from '../platform/db/sql.ts';
import { timeOfUuid } from '../platform/security/random.ts';
import { type CountedEvent, destinationOf, type Guard, type Known } from '../protection/protection.ts';

/**
 * One change to one verification, applied by `apply_changes`: a guarded update with its history row, webhook messages and
 * refund. Omitted fields stay unchanged.
 */
export interface Change {
  account_id: string;
  id: string;
  /** The statuses that allow the change. In any other status, nothing happens. */
  allowed: readonly OtpStatus[];
  to?: OtpStatus;
  note?: string;
  ip?: string | null;
  closed_by?: 'canceled' | 'superseded' | 'attempts';
  /** A readable reason for the failure. */
  failure?: string;
  event?: WebhookEvent;
  /** What the event `step` is about. */
  step?: { channel: string; status: 'pending' | 'skipped'; reason: string };
  /** Refunds the credit, at most once. */
  refund?: true;
  /** Erases the code's HMAC, so that the verification can no longer succeed. */
  wipe?: true;
  /** Removes the message from the queue unless a worker has claimed it. */
  dequeue?: true;
  /**
   * The change is an acceptance by `carrier`, a delivery report or a correct code. If these occur in this order, no history row
   * is stored, because `selectStatusLogs` derives it from the verification.
   */
  usual?: true;
  sent?: true;
  delivered?: true;
  verified?: true;
  carrier?: string;
  /** The number or name from which `carrier` sends. */
  sender?: string;
  provider_message_id?: string | null;
}

export interface Changed {
  id: string;
  previous_status: OtpStatus;
  status: OtpStatus;
  refunded: boolean;
}

/** The carrier's message id in a form that the database can store: without NUL characters and at most 200 characters long. */
export const storableId = (id: string | null): string | null =>
  id === null ? null : id.replaceAll('\0', '').slice(0, 200).toWellFormed();

/**
 * The input of `apply_changes`. Verifications with identical changes share one element, so that PostgreSQL reads the common
 * fields only once.
 */
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

/** Reports the outcomes of sends to the rules on destinations, after the commit. */
export interface EndedSend {
  account_id: string;
  id: string;
  recipient: string;
  channel: string | null;
  client_ip: string | null;
  is_test: boolean;
  own_code: boolean;
  /** how the send passed as one to a known recipient */
  known: Known | null;
  event: CountedEvent;
}

export function countEnds(guard: Pick<Guard, 'record'>, nowMs: number, ended: readonly EndedSend[]): void {
  for (const { account_id, id, recipient, channel, client_ip, is_test, own_code, known, event } of ended) {
    if (channel === 'email' || is_test) continue;
    // Only the sender knows the outcome of an own code.
    if (own_code && event !== 'void') continue;
    const to = destinationOf(recipient, client_ip);
    // An erased recipient has no destination.
    if (!to) continue;
    // An undone send is subtracted from the minute in which it was counted. Subtracting it from a later minute would allow
    // extra sends then.
    const atMs = event === 'void' ? Math.min(nowMs, timeOfUuid(id)) : nowMs;
    const { prefix, country, client } = to;
    guard.record({ account_id, prefix, country, client, has_own_code: own_code, known }, event, atMs);
  }
}

/**
 * The event to count after a change of status; undefined if the change did not end a send. If the credit was refunded before
 * any carrier had the message, the send is undone.
 */
export function countedEventOf(
  { previous_status, status, refunded }: Pick<Changed, 'previous_status' | 'status' | 'refunded'>,
  wasDispatched: boolean,
): CountedEvent | undefined {
  if (status !== 'failed' && status !== 'expired') return undefined;
  if (previous_status !== 'pending' && previous_status !== 'sent') return undefined;
  return refunded && !wasDispatched ? 'void' : 'unverified';
}

/** The verifications that failed before a carrier had their message. */
export const selectUndispatched = (
  sql: Sql,
  changes: readonly { account_id: string; id: string }[],
): Promise<Omit<EndedSend, 'event'>[]> =>
  sql.rows(
    `select v.account_id, v.id, v.recipient, v.channel, host(v.client_ip) as client_ip, v.is_test, v.own_code, v.known
     from json_to_recordset($1) as c (account_id uuid, id uuid)
     join verifications v on v.account_id = c.account_id and v.id = c.id
     where v.status = 'failed' and v.sent_at is null`,
    [JSON.stringify(changes.map(({ account_id, id }) => ({ account_id, id })))],
  );

/**
 * The event to count for a verification after a batch of verifies. Siblings of a verified one also count as verified, because
 * the person has proved that the number is theirs.
 */
export function countedEventOfVerify(
  before: OtpStatus,
  change: { to?: OtpStatus; closed_by?: string },
): CountedEvent | undefined {
  const wasOver = before === 'failed';
  if (change.to === 'verified' || change.closed_by === 'superseded')
    return wasOver ? 'verified_late' : 'verified';
  return change.to === 'failed' && !wasOver ? 'unverified' : undefined;
}
