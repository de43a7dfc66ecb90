import type { Channel } from '@sixdigit/contract/channels.ts';
import type { Dlt } from '@sixdigit/contract/templates.ts';
import type { OtpStatus, Outcome } from '@sixdigit/contract/verifications.ts';
import { lockKeys } from '../platform/db/advisory-locks.ts';
import type { Queryable, Sql, Tx } from '../platform/db/sql.ts';
import type { Known } from '../protection/protection.ts';

/** What a resend repeats. */
export interface ResendableRow {
  channel: Channel;
  recipient: string;
  message: string | null;
  subject: string | null;
  language: string | null;
  template: string | null;
  template_version: number | null;
  dlt: Dlt | null;
  purpose: string | null;
  client_ip: string | null;
  metadata: Record<string, string> | null;
  code_hmac: Buffer | null;
  code_length: number;
  max_attempts: number | null;
  own_code: boolean;
  status: OtpStatus;
  closed_by: CancelableRow['closed_by'];
  expires_at: string;
  is_expired: boolean;
  has_plan: boolean;
}

/** A verification of this account and mode that is not itself a resend. */
export const findResendable = (
  sql: Queryable,
  { account_id, is_test }: { account_id: string; is_test: boolean },
  id: string,
): Promise<ResendableRow | undefined> =>
  sql.maybe<ResendableRow>(
    `select channel, recipient, message, subject, language, template, template_version, dlt, purpose, host(client_ip) as client_ip,
       metadata::json as metadata, code_hmac, code_length, max_attempts, own_code, status, closed_by, expires_at, expires_at <= clock_now() as is_expired,
       plan is not null as has_plan
     from verifications where account_id = $1 and id = $2 and is_test = $3 and resend_of is null`,
    [account_id, id, is_test],
  );

/** A send, for callers that group several into one verification. */
export interface SendState {
  otp_id: string;
  status: OtpStatus;
  channel: Channel;
  recipient: string;
  closed_by: 'canceled' | 'superseded' | 'attempts' | null;
  outcome: Outcome | null;
  created_at: string;
  /** of the last change */
  changed_at: string;
  /** A right code would still verify it. */
  is_open: boolean;
}

/** These sends of an account and mode, oldest first. */
export const selectSendStates = (
  sql: Queryable,
  { account_id, is_test }: { account_id: string; is_test: boolean },
  ids: readonly string[],
): Promise<SendState[]> =>
  sql.rows<SendState>(
    `select id as otp_id, status, channel, recipient, closed_by, outcome, created_at,
       greatest(created_at, sent_at, delivered_at, verified_at, outcome_at) as changed_at,
       status in ('pending', 'sent', 'failed') and closed_by is null and expires_at > clock_now()
         and code_hmac is not null as is_open
     from verifications where account_id = $1 and id = any ($3::uuid[]) and is_test = $2 order by id`,
    [account_id, is_test, ids],
  );

/**
 * Records the outcome that the sender of an own code reports, unless one is known. Returns whether the verification exists, has
 * an own code, and had no outcome.
 */
export const insertOutcome = async (
  sql: Sql,
  {
    account_id,
    is_test,
    otp_id,
    outcome,
  }: { account_id: string; is_test: boolean; otp_id: string; outcome: Outcome },
): Promise<boolean> =>
  (await sql.run(
    `update verifications set outcome = $4, outcome_at = clock_now()
     where account_id = $1 and id = $2 and is_test = $3 and own_code and outcome is null`,
    [account_id, otp_id, is_test, outcome],
  )) === 1;

export interface CancelableRow {
  is_test: boolean;
  own_code: boolean;
  known: Known | null;
  purpose: string | null;
  /** the messages that repeat its code */
  resend_ids: string[] | null;
  recipient: string;
  channel: Channel;
  client_ip: string | null;
  status: OtpStatus;
  closed_by: 'canceled' | 'superseded' | 'attempts' | null;
  is_expired: boolean;
}

export const findCancelable = (tx: Tx, account_id: string, id: string): Promise<CancelableRow | undefined> =>
  tx.maybe<CancelableRow>(
    `select recipient, is_test, own_code, known, purpose, resend_ids, channel, host(client_ip) as client_ip, status, closed_by, expires_at <= clock_now() as is_expired
     from verifications where account_id = $1 and id = $2`,
    [account_id, id],
  );

/** Those of these verifications that are not closed. */
export const selectOpen = (
  tx: Tx,
  account_id: string,
  ids: readonly string[],
): Promise<(CancelableRow & { id: string })[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : tx.rows(
        `select id, recipient, is_test, own_code, known, purpose, resend_ids, channel, host(client_ip) as client_ip, status, closed_by,
           expires_at <= clock_now() as is_expired
         from verifications where account_id = $1 and id = any ($2::uuid[]) and closed_by is null
           and status in ('pending', 'sent', 'failed') order by id`,
        [account_id, ids],
      );

/** The newest of a recipient's open verifications. `recipient` is that of the state row. */
export const findNewestOpen = async (
  sql: Sql,
  account_id: string,
  recipient: string,
): Promise<string | undefined> =>
  (
    await sql.maybe<{ id: string }>(
      `select coalesce(v.resend_of, v.id) as id from recipients r join verifications v on v.account_id = r.account_id and v.id = any (r.open_ids)
       where r.account_id = $1 and r.recipient = $2 and v.closed_by is null and v.expires_at > clock_now()
       order by v.id desc limit 1`,
      [account_id, recipient],
    )
  )?.id;

/** Locks recipients of one account, as batches do. Take this lock after the balance. */
export const lockRecipients = (tx: Tx, account_id: string, recipients: readonly string[]): Promise<number> =>
  lockKeys(
    tx,
    'recipientOfAccount',
    recipients.map((recipient) => account_id + recipient),
  );

/** Removes a message from the queue if no carrier can have it. Returns whether it was removed. */
export const takeFromQueue = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.run(
    'delete from deliveries where id = $1 and worker_id is null and uncertain = 0 and carrier is null',
    [id],
  )) === 1;

/** Removes a verification from its recipient's open ones. Removing the last one erases the code. */
export const closeForRecipient = (
  tx: Tx,
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

/** Whether the history has a note with this beginning. */
export const hasNote = async (
  tx: Tx,
  { account_id, id, begin }: { account_id: string; id: string; begin: string },
): Promise<boolean> =>
  (await tx.maybe(
    'select 1 from status_history where account_id = $1 and otp_id = $2 and starts_with(notes, $3)',
    [account_id, id, begin],
  )) !== undefined;

export interface ReportedRow {
  is_test: boolean;
  own_code: boolean;
  known: Known | null;
  channel: Channel;
  recipient: string;
  client_ip: string | null;
  status: OtpStatus;
  closed_by: string | null;
  cost_credits: number;
  delivered_at: string | null;
  /** The verification whose plan a delivery stops; null if it cannot have one. */
  plan_of: string | null;
  /** The carrier that accepted the message, or the last one tried. */
  carrier: string | null;
  provider_message_id: string | null;
  country: string | null;
  carrier_price: string | null;
  carrier_currency: string | null;
  network: string | null;
  read_at: string | null;
}

/** Locks these verifications until the transaction ends. Take this lock after balances. */
export const lockVerifications = async (tx: Tx, ids: readonly string[]): Promise<void> => {
  await tx.run('select lock_verifications($1)', [ids]);
};

/** The verification that a delivery report concerns. Lock it first, because reports can arrive concurrently. */
export const findReported = (tx: Tx, account_id: string, id: string): Promise<ReportedRow | undefined> =>
  tx.maybe<ReportedRow>(
    `select v.is_test, v.own_code, v.known, v.channel, v.recipient, host(v.client_ip) as client_ip, v.status, v.closed_by, v.cost_credits, v.delivered_at,
       case when v.plan is not null or v.resend_of is not null then coalesce(v.resend_of, v.id) end as plan_of,
       coalesce(v.carrier, d.carrier) as carrier, v.provider_message_id, v.country, v.carrier_price::text, v.carrier_currency, v.network,
       v.read_at
     from verifications v left join deliveries d on d.id = v.id
     where v.account_id = $1 and v.id = $2`,
    [account_id, id],
  );

/** Undefined if the recipient was removed or erased. */
export const selectRecipient = async (
  sql: Queryable,
  account_id: string,
  id: string,
): Promise<string | undefined> =>
  (
    await sql.maybe<{ recipient: string }>(
      `select recipient from verifications where account_id = $1 and id = $2 and recipient ~ '@'`,
      [account_id, id],
    )
  )?.recipient;

/** The account of a verification, if it exists. Ids are unique across all accounts. */
export const accountOfVerification = async (sql: Queryable, id: string): Promise<string[]> =>
  (
    await sql.rows<{ account_id: string }>('select distinct account_id from verifications where id = $1', [
      id,
    ])
  ).map(({ account_id }) => account_id);
