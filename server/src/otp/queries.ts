import type { OtpStatus } from '#contract/otp.ts';
import type { Sql } from '../platform/db/sql.ts';

export interface OtpStateRow {
  otp_id: string;
  status: OtpStatus;
  channel: 'sms' | 'voice' | 'email';
  recipient: string;
  cost_credits: number;
  segments: number | null;
  created_at: string;
  expires_at: string;
  sent_at: string | null;
  delivered_at: string | null;
  verified_at: string | null;
  failure: string | null;
}

/** A verification of this account, if there is one. One past its expiry that the sweep has not reached is expired. */
export const findOtpState = (sql: Sql, account_id: string, id: string): Promise<OtpStateRow | undefined> =>
  sql.maybe<OtpStateRow>(
    `select id as otp_id, case when status = 'sent' and expires_at <= clock_now() then 'expired' else status end as status,
       channel, recipient, cost_credits, segments, created_at, expires_at, sent_at, delivered_at, verified_at, failure
     from verifications where account_id = $1 and id = $2`,
    [account_id, id],
  );

export interface CancelableRow {
  recipient: string;
  status: OtpStatus;
  closed_by: 'canceled' | 'superseded' | 'attempts' | null;
  is_expired: boolean;
}

export const findCancelable = (tx: Sql, account_id: string, id: string): Promise<CancelableRow | undefined> =>
  tx.maybe<CancelableRow>(
    `select recipient, status, closed_by, expires_at <= clock_now() as is_expired
     from verifications where account_id = $1 and id = $2`,
    [account_id, id],
  );

/** Serialises what concerns one recipient of one account, like the batches do. Taken after the balance. */
export const lockRecipient = (tx: Sql, account_id: string, recipient: string): Promise<number> =>
  tx.run('select pg_advisory_xact_lock(hashtextextended($1 || $2, 6))', [account_id, recipient]);

/** Takes a message out of the queue if no carrier can have it: true where it was there. */
export const takeFromQueue = async (tx: Sql, id: string): Promise<boolean> =>
  (await tx.run(
    'delete from deliveries where id = $1 and worker_id is null and uncertain = 0 and carrier is null',
    [id],
  )) === 1;

/** One verification fewer that a right code can close; with the last one the code goes. */
export const closeForRecipient = (
  tx: Sql,
  account_id: string,
  recipient: string,
  id: string,
): Promise<number> =>
  tx.run(
    `update recipients set open_ids = array_remove(open_ids, $3::uuid),
       code_hmac = case when open_ids <@ array[$3::uuid] then null else code_hmac end,
       code_sealed = case when open_ids <@ array[$3::uuid] then null else code_sealed end,
       open_until = case when open_ids <@ array[$3::uuid] then null else open_until end
     where account_id = $1 and recipient = $2`,
    [account_id, recipient, id],
  );

export interface ReportedRow {
  channel: 'sms' | 'voice' | 'email';
  recipient: string;
  status: OtpStatus;
  closed_by: string | null;
  cost_credits: number;
  delivered_at: string | null;
  /** that took it, or that it was last handed to */
  carrier: string | null;
  provider_message_id: string | null;
}

/** Serialises what changes these verifications until the transaction ends; taken after balances. */
export const lockVerifications = async (tx: Sql, ids: readonly string[]): Promise<void> => {
  await tx.run('select lock_verifications($1)', [ids]);
};

/** What a delivery report is about; locked before, as reports come several at a time. */
export const findReported = (tx: Sql, account_id: string, id: string): Promise<ReportedRow | undefined> =>
  tx.maybe<ReportedRow>(
    `select v.channel, v.recipient, v.status, v.closed_by, v.cost_credits, v.delivered_at,
       coalesce(v.carrier, d.carrier) as carrier, v.provider_message_id
     from verifications v left join deliveries d on d.id = v.id
     where v.account_id = $1 and v.id = $2`,
    [account_id, id],
  );
