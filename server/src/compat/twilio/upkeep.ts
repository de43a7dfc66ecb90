import { deleteRowsOf, type RecipientForms } from '../../platform/db/erasure.ts';
import type { RetentionRules } from '../../platform/db/retention.ts';
import type { Sql, Tx } from '../../platform/db/sql.ts';

/** Verifications and attempts are kept as long as the sends that they name. */
export const twilioRetention: RetentionRules = {
  monthly: [
    { table: 'twilio_attempts', id: 'otp_id', key: 'otp_id' },
    { table: 'twilio_verifications', id: 'id', key: 'id' },
  ],
};

/** Deletes the verifications of an erased recipient in all accounts. Its sends remain, without the recipient. */
export const eraseRecipientFromTwilio = (sql: Sql, { hashes }: RecipientForms): Promise<number> =>
  sql.run('delete from twilio_verifications where recipient_hash = any ($1::bytea[])', [hashes]);

/** Call it when the account is deleted. */
export async function deleteTwilioServicesOf(tx: Tx, account_id: string): Promise<void> {
  await tx.run('delete from twilio_services where account_id = $1', [account_id]);
}

/** Deletes up to `most` verifications of a deleted account. Returns the number of deleted rows. */
export const deleteTwilioVerificationsOf = (
  sql: Sql,
  limit: { account_id: string; most: number },
): Promise<number> => deleteRowsOf(sql, { table: 'twilio_verifications', key: 'id' }, limit);
