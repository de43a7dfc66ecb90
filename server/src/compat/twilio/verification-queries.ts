import type { Queryable, Sql, Tx } from '../../platform/db/sql.ts';

/** Whose verifications: those of one service, made with live or with test keys. */
export interface Scope {
  account_id: string;
  service_id: string;
  is_test: boolean;
}

export interface VerificationRow extends Scope {
  id: string;
  own_code: boolean;
  created_at: string;
  approved_at: string | null;
  /** its sends, and those that are being decided or were lost with their process */
  otp_ids: string[];
  /** its time is over, whatever its sends did */
  is_over: boolean;
}

/** How long a verification lasts, and how many sends it can have. */
export const LASTS_SECONDS = 600;
export const SENDS_MAX = 5;

const SHOWN = `v.id, v.account_id, v.service_id, v.is_test, v.own_code, v.created_at, v.approved_at,
  v.created_at <= clock_now() - interval '${LASTS_SECONDS} seconds' as is_over,
  array(select a.otp_id from twilio_attempts a where a.verification_id = v.id order by a.otp_id) as otp_ids`;
const SCOPED = 'v.account_id = $1 and v.service_id = $2 and v.is_test = $3';

export const findVerification = (
  sql: Queryable,
  { account_id, service_id, is_test }: Scope,
  id: string,
): Promise<VerificationRow | undefined> =>
  sql.maybe<VerificationRow>(`select ${SHOWN} from twilio_verifications v where ${SCOPED} and v.id = $4`, [
    account_id,
    service_id,
    is_test,
    id,
  ]);

/** The newest verification of a recipient. */
export const findVerificationOf = (
  sql: Queryable,
  { account_id, service_id, is_test }: Scope,
  recipientHashes: readonly Buffer[],
  own_code: boolean | null = null,
): Promise<VerificationRow | undefined> =>
  sql.maybe<VerificationRow>(
    `select ${SHOWN} from twilio_verifications v
     where ${SCOPED} and v.recipient_hash = any ($4::bytea[]) and v.own_code = coalesce($5, v.own_code)
     order by v.id desc limit 1`,
    [account_id, service_id, is_test, recipientHashes, own_code],
  );

/** The verification of a send, if it belongs to this service. */
export const findVerificationWith = (
  sql: Queryable,
  { account_id, service_id, is_test }: Scope,
  otp_id: string,
): Promise<VerificationRow | undefined> =>
  sql.maybe<VerificationRow>(
    `select ${SHOWN} from twilio_verifications v
     where ${SCOPED} and v.id = (select verification_id from twilio_attempts where otp_id = $4)`,
    [account_id, service_id, is_test, otp_id],
  );

export const insertVerification = async (
  tx: Tx,
  { account_id, service_id, is_test }: Scope,
  row: { id: string; recipient_hash: Buffer; own_code: boolean },
): Promise<VerificationRow> => ({
  ...(await tx.one<Omit<VerificationRow, 'otp_ids' | 'is_over'>>(
    `insert into twilio_verifications (id, account_id, service_id, recipient_hash, is_test, own_code, created_at)
     values ($1, $2, $3, $4, $5, $6, clock_now())
     returning id, account_id, service_id, is_test, own_code, created_at, approved_at`,
    [row.id, account_id, service_id, row.recipient_hash, is_test, row.own_code],
  )),
  otp_ids: [],
  is_over: false,
});

export const insertAttempt = (
  tx: Tx,
  { account_id, service_id, is_test, id }: VerificationRow,
  otp_id: string,
): Promise<number> =>
  tx.run(
    `insert into twilio_attempts (otp_id, account_id, service_id, verification_id, is_test)
     values ($1, $2, $3, $4, $5)`,
    [otp_id, account_id, service_id, id, is_test],
  );

/** Removes an attempt that was not sent, and its verification if it has no other. Call it under the lock of the recipient. */
export async function deleteAttempt(tx: Tx, verification_id: string, otp_id: string): Promise<void> {
  await tx.run('delete from twilio_attempts where otp_id = $1', [otp_id]);
  await tx.run(
    `delete from twilio_verifications v where v.id = $1
       and not exists (select from twilio_attempts a where a.verification_id = v.id)`,
    [verification_id],
  );
}

export const moveAttempt = (tx: Tx, otp_id: string, verification_id: string): Promise<number> =>
  tx.run('update twilio_attempts set verification_id = $2 where otp_id = $1', [otp_id, verification_id]);

export const markApproved = (sql: Sql, { account_id, id }: { account_id: string; id: string }) =>
  sql.run(
    `update twilio_verifications set approved_at = coalesce(approved_at, clock_now())
     where account_id = $1 and id = $2`,
    [account_id, id],
  );
