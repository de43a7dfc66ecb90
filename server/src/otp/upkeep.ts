import {
  deleteRowsOf,
  ERASED,
  type FreeTexts,
  type IdRange,
  mayName,
  namePatterns,
  type RecipientForms,
} from '../platform/db/erasure.ts';
import type { RetentionRules } from '../platform/db/retention.ts';
import { type Db, likeLiteral, type Sql, type Tx } from '../platform/db/sql.ts';
import { limitsRecipient } from './code.ts';
import { deleteFeedback, oldFeedback } from './feedback.ts';
import { OWN_CODE } from './list/queries.ts';
import { COST_DAYS } from './list/unverified-costs.ts';
import { lockRecipients, lockVerifications } from './queries.ts';

const BATCH_SIZE = 200;

/** The free texts of sends, scanned by range of ids. */
export const sendTexts: readonly FreeTexts[] = [
  {
    table: 'verifications',
    key: ['account_id', 'id'],
    orderedId: 'id',
    columns: ['message', 'subject', 'failure', 'provider_message_id', 'purpose'],
    counts: 'texts_of_others',
  },
  {
    table: 'verifications',
    key: ['account_id', 'id'],
    orderedId: 'id',
    columns: ['metadata'],
    counts: 'texts_of_others',
    // What remained of the text might be no JSON.
    whole: '{}',
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

/** Whoever changes any state row of the recipient holds the lock of one of these. */
const limitsRecipientsOf = (recipient: string): string[] =>
  [false, true].map((is_test) => limitsRecipient({ recipient, is_test }));

/** Deletes the recipient's codes and limits in all accounts. Returns the number of rows. */
export async function forgetRecipient(db: Db, { recipient, hashes }: RecipientForms): Promise<number> {
  await db.run('delete from unreachable_recipients where recipient_hash = any ($1)', [hashes]);
  const rows = await db.rows<{ account_id: string; recipient: string }>(
    'select account_id, recipient from recipients where recipient = $1 or recipient like $2',
    [recipient, `%:${likeLiteral(recipient)}`],
  );
  let forgotten = 0;
  for (const row of rows)
    forgotten += await db.transaction(async (tx) => {
      await lockRecipients(tx, row.account_id, limitsRecipientsOf(recipient));
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
        await lockRecipients(tx, account_id, limitsRecipientsOf(forms.recipient));
        erased.queued_messages += await tx.run('delete from deliveries where id = any ($1::uuid[])', [ids]);
        await deleteFeedback(tx, ids);
        await lockVerifications(tx, ids);
        await tx.run('delete from plans where otp_id = any ($1::uuid[])', [ids]);
        erased.verifications += await eraseVerifications(tx, forms, account_id, ids);
      });
    }
  return erased;
}

const selectSendsTo = (
  sql: Sql,
  { recipient, hashes }: RecipientForms,
  [from, to]: IdRange,
): Promise<{ account_id: string; id: string }[]> =>
  sql.rows(
    `select account_id, id from verifications
     where id >= $2 and id < $3 and (recipient = $1 or recipient_hash = any ($4::bytea[]))`,
    [recipient, from, to, hashes],
  );

/** Keeps cost, times and status, because the account's ledger needs them. */
const eraseVerifications = (
  tx: Tx,
  forms: RecipientForms,
  account_id: string,
  ids: string[],
): Promise<number> =>
  tx.run(
    `update verifications set recipient = $5, recipient_hash = null, provider_message_id = null, client_ip = null, metadata = null, purpose = null, network = null, lookup = null,
       message = case when message is not null then $5 end,
       subject = case when subject is not null then $5 end,
       failure = case when ${mayName('failure')} then $5 else failure end
     where account_id = $3 and id = any ($4::uuid[])`,
    [...namePatterns(forms), account_id, ids, ERASED],
  );

/**
 * Deletes up to `most` sends of a deleted account, then its queue rows and its recipients. Returns the number of deleted rows.
 */
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
  const costs = await deleteRowsOf(db, { table: 'prefix_costs', key: 'day' }, { account_id, most });
  if (costs >= most) return costs;
  const queued = await deleteRowsOf(db, { table: 'deliveries', key: 'id' }, { account_id, most });
  if (queued >= most) return queued;
  const planned = await deleteRowsOf(db, { table: 'plans', key: 'otp_id' }, { account_id, most });
  if (planned >= most) return planned;
  const feedback = await deleteRowsOf(db, { table: 'feedback', key: 'otp_id' }, { account_id, most });
  if (feedback >= most) return feedback;
  return deleteRowsOf(db, { table: 'recipients', key: 'recipient' }, { account_id, most });
}

const KINDS = `status, case when own_code then '${OWN_CODE}' else '' end, 0::smallint`;

export const otpRetention: RetentionRules = {
  monthly: [
    // History goes first, so that no verification is left without its history.
    { table: 'status_history', id: 'otp_id', key: 'account_id, otp_id' },
    {
      table: 'verifications',
      id: 'id',
      key: 'account_id, id',
      recipients: {
        texts: ['message', 'subject', 'failure', 'provider_message_id'],
        emptied: ['metadata', 'purpose', 'lookup'],
        notes: { table: 'status_history', id: 'otp_id', column: 'notes' },
      },
      counted: [
        { list: 'verifications', kinds: KINDS, settledUntil: firstUnsettledDay },
        {
          list: 'routes',
          kinds: KINDS,
          route: `channel, coalesce(country, ''), coalesce(carrier, '')`,
          settledUntil: firstUnsettledDay,
        },
      ],
      searchIndexes: [
        { ending: 'recipient', on: 'gin (recipient gin_trgm_ops)', extension: 'pg_trgm' },
        {
          ending: 'recipient_hash',
          on: 'btree (account_id, recipient_hash) where recipient_hash is not null',
        },
        { ending: 'api_key', on: 'btree (api_key_id)' },
      ],
    },
  ],
  rows: [
    // The rate limits look back one day. The extra hour lets sends in flight finish.
    {
      table: 'recipients',
      where: `touched_at < clock_now() - interval '25 hours' and coalesce(open_until, touched_at) < clock_now()`,
    },
    // An expired proof is refused by the time of the process, which may be behind.
    { table: 'used_proofs', where: `expires_at < clock_now() - interval '1 hour'` },
    { table: 'prefix_costs', where: `day < (clock_now() at time zone 'UTC')::date - ${COST_DAYS}` },
    { table: 'recipient_sends', where: `touched_at < clock_now() - interval '25 hours'` },
    oldFeedback,
    { table: 'unreachable_recipients', where: `created_at < clock_now() - interval '3 days'` },
  ],
};

/** The day of the first verification that is not final, or else `over_day`. */
async function firstUnsettledDay(tx: Tx, from_day: string, over_day: string): Promise<string> {
  const found = await tx.maybe<{ day: string }>(
    `select to_char(day_of(id), 'YYYY-MM-DD') as day from verifications
     where id >= start_of($1::date) and id < start_of($2::date) and status in ('pending', 'sent')
     order by id limit 1`,
    [from_day, over_day],
  );
  return found?.day ?? over_day;
}

/** Which of these workers hold claims in the dispatch queue. */
export const dispatchClaimHolders = async (tx: Tx, workers: readonly string[]): Promise<string[]> =>
  (
    await tx.rows<{ id: string }>(
      'select distinct worker_id as id from deliveries where worker_id = any ($1)',
      [workers],
    )
  ).map(({ id }) => id);
