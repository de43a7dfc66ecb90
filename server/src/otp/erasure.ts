import {
  deleteRowsOf,
  ERASED,
  type FreeTexts,
  type IdRange,
  mayName,
  namePatterns,
  type RecipientForms,
} from '../platform/db/erasure.ts';
import type { Db, Sql, Tx } from '../platform/db/sql.ts';
import { stateRecipientsOf } from './code.ts';
import { lockRecipient, lockRecipients, lockVerifications } from './queries.ts';

const BATCH_SIZE = 200;

/** Texts of sends, by range of ids. */
export const sendTexts: readonly FreeTexts[] = [
  {
    table: 'verifications',
    key: ['account_id', 'id'],
    orderedId: 'id',
    columns: ['message', 'subject', 'failure', 'provider_message_id'],
    counts: 'texts_of_others',
  },
  {
    table: 'status_history',
    key: ['account_id', 'otp_id'],
    orderedId: 'otp_id',
    columns: ['notes'],
    counts: 'history_notes',
  },
];

export const queueTexts: readonly FreeTexts[] = [
  { table: 'deliveries', key: ['id'], columns: ['last_failure'], counts: 'texts_of_others' },
];

/** Deletes the recipient's codes and limits in all accounts. Returns the number of accounts with any. */
export async function forgetRecipient(db: Db, { recipient }: RecipientForms): Promise<number> {
  const rows = await db.rows<{ account_id: string; recipient: string }>(
    'select account_id, recipient from recipients where recipient = any ($1)',
    [stateRecipientsOf(recipient)],
  );
  let forgotten = 0;
  for (const row of rows)
    forgotten += await db.transaction(async (tx) => {
      await lockRecipient(tx, row.account_id, row.recipient);
      return tx.run('delete from recipients where account_id = $1 and recipient = $2', [
        row.account_id,
        row.recipient,
      ]);
    });
  return forgotten;
}

/**
 * Erases the recipient from the verifications in a range of ids and cancels messages that wait for dispatch, in small
 * transactions.
 */
export async function eraseRecipientFromSends(
  db: Db,
  forms: RecipientForms,
  range: IdRange,
): Promise<{ verifications: number; queued_messages: number }> {
  const erased = { verifications: 0, queued_messages: 0 };
  const byAccount = Map.groupBy(await selectSendsTo(db, forms, range), ({ account_id }) => account_id);
  for (const [account_id, some] of byAccount)
    for (let from = 0; from < some.length; from += BATCH_SIZE) {
      const ids = some.slice(from, from + BATCH_SIZE).map(({ id }) => id);
      await db.transaction(async (tx) => {
        await lockRecipients(tx, account_id, stateRecipientsOf(forms.recipient));
        erased.queued_messages += await tx.run('delete from deliveries where id = any ($1::uuid[])', [ids]);
        await lockVerifications(tx, ids);
        erased.verifications += await eraseVerifications(tx, forms, account_id, ids);
      });
    }
  return erased;
}

const selectSendsTo = (
  sql: Sql,
  { recipient }: RecipientForms,
  [from, to]: IdRange,
): Promise<{ account_id: string; id: string }[]> =>
  sql.rows(`select account_id, id from verifications where id >= $2 and id < $3 and recipient = $1`, [
    recipient,
    from,
    to,
  ]);

/** Cost, times and status stay, because the account's ledger needs them. */
const eraseVerifications = (
  tx: Tx,
  forms: RecipientForms,
  account_id: string,
  ids: string[],
): Promise<number> =>
  tx.run(
    `update verifications set recipient = $5, provider_message_id = null, client_ip = null,
       message = case when message is not null then $5 end,
       subject = case when subject is not null then $5 end,
       failure = case when ${mayName('failure')} then $5 else failure end
     where account_id = $3 and id = any ($4::uuid[])`,
    [...namePatterns(forms), account_id, ids, ERASED],
  );

/** Deletes up to `most` sends of a deleted account, then its queue and its recipients. Returns the number of deleted rows. */
export async function deleteSendsOf(
  db: Db,
  { account_id, most }: { account_id: string; most: number },
): Promise<number> {
  const sends = await db.transaction(async (tx) => {
    const some = `select id from verifications where account_id = $1 order by id limit $2`;
    // History rows are found only by the verification's id.
    await tx.run(`delete from status_history where account_id = $1 and otp_id in (${some})`, [
      account_id,
      most,
    ]);
    return tx.run(`delete from verifications where account_id = $1 and id in (${some})`, [account_id, most]);
  });
  if (sends >= most) return sends;
  const queued = await deleteRowsOf(db, { table: 'deliveries', key: 'id' }, { account_id, most });
  if (queued >= most) return queued;
  return deleteRowsOf(db, { table: 'recipients', key: 'recipient' }, { account_id, most });
}
