import type { OtpStatus } from '@sixdigit/contract/otp.ts';
import type { Sql } from '../platform/db/sql.ts';
import { timeOfUuid } from '../platform/security/random.ts';
import { type CountedEvent, destinationOf, type Guard } from '../protection/protection.ts';
import type { Changed } from './change.ts';

/** Tells the rules on destinations what became of sends, after the change was committed. */
export interface EndedSend {
  account_id: string;
  id: string;
  recipient: string;
  channel: string | null;
  client_ip: string | null;
  is_test: boolean;
  event: CountedEvent;
}

export function countEnds(guard: Pick<Guard, 'record'>, nowMs: number, ended: readonly EndedSend[]): void {
  for (const { account_id, id, recipient, channel, client_ip, is_test, event } of ended) {
    if (channel === 'email' || is_test) continue;
    const to = destinationOf(recipient, client_ip);
    // An erased recipient has no destination.
    if (!to) continue;
    // A send that is taken back leaves the minute in which it was counted. Otherwise it would make room for others later.
    const atMs = event === 'void' ? Math.min(nowMs, timeOfUuid(id)) : nowMs;
    guard.record({ account_id, prefix: to.prefix, country: to.country, client: to.client }, event, atMs);
  }
}

/**
 * The event that the protection counts after a change of status; undefined if the change ended nothing. A refund of a message that no
 * carrier had undoes its send.
 */
export function countedEventOf(
  { previous_status, status, refunded }: Pick<Changed, 'previous_status' | 'status' | 'refunded'>,
  wasDispatched: boolean,
): CountedEvent | undefined {
  if (status !== 'failed' && status !== 'expired') return undefined;
  if (previous_status !== 'pending' && previous_status !== 'sent') return undefined;
  return refunded && !wasDispatched ? 'void' : 'unverified';
}

/** Of these verifications, those that failed before a carrier had their message. */
export const selectUndispatched = (
  sql: Sql,
  changes: readonly { account_id: string; id: string }[],
): Promise<Omit<EndedSend, 'event'>[]> =>
  sql.rows(
    `select v.account_id, v.id, v.recipient, v.channel, host(v.client_ip) as client_ip, v.is_test
     from json_to_recordset($1) as c (account_id uuid, id uuid)
     join verifications v on v.account_id = c.account_id and v.id = c.id
     where v.status = 'failed' and v.sent_at is null`,
    [JSON.stringify(changes.map(({ account_id, id }) => ({ account_id, id })))],
  );

/** The effect of a batch of verifies on a verification. Siblings of a verified one belong to a person who proved the number. */
export function countedEventOfVerify(
  before: OtpStatus,
  change: { to?: OtpStatus; closed_by?: string },
): CountedEvent | undefined {
  const wasOver = before === 'failed';
  if (change.to === 'verified' || change.closed_by === 'superseded')
    return wasOver ? 'verified_late' : 'verified';
  return change.to === 'failed' && !wasOver ? 'unverified' : undefined;
}
