import { lockKey } from '../../platform/db/advisory-locks.ts';
import { likeLiteral, type Sql, type Tx } from '../../platform/db/sql.ts';
import type { Person } from './person.ts';

/** Replaces the person's data. */
export const ERASED = '[erased]';

/** Ids from the first (inclusive) to the second (exclusive). */
export type Window = [from: string, to: string];

/** Whether a text may name the person. $1: patterns for the text, $2: patterns for its digits. */
const NAMES = (column: string) =>
  `(${column} ilike any ($1::text[]) or regexp_replace(${column}, '[^0-9]', '', 'g') like any ($2::text[]))`;

const patterns = ({ recipient, digits }: Person): [string[], string[]] => [
  [`%${likeLiteral(recipient)}%`],
  // The shorter number is part of the longer one.
  digits.slice(-1).map((some) => `%${some}%`),
];

/** Blocks sends of this account to the recipient until the transaction ends. */
export const lockRecipient = (tx: Tx, account_id: string, recipient: string): Promise<number> =>
  lockKey(tx, 'recipientOfAccount', account_id + recipient);

export const selectVerificationsOf = (
  sql: Sql,
  { recipient }: Person,
  [from, to]: Window,
): Promise<{ account_id: string; id: string }[]> =>
  sql.rows(
    `select account_id, id from verifications where id >= $2 and id < $3 and recipient = $1 order by account_id, id`,
    [recipient, from, to],
  );

/** Cost, times and status stay, because the account's ledger needs them. */
export const eraseVerifications = (
  tx: Tx,
  person: Person,
  account_id: string,
  ids: string[],
): Promise<number> =>
  tx.run(
    `update verifications set recipient = $5, provider_message_id = null,
       message = case when message is not null then $5 end,
       subject = case when subject is not null then $5 end,
       failure = case when ${NAMES('failure')} then $5 else failure end
     where account_id = $3 and id = any ($4::uuid[])`,
    [...patterns(person), account_id, ids, ERASED],
  );

export const deleteDeliveries = (tx: Tx, ids: string[]): Promise<number> =>
  tx.run('delete from deliveries where id = any ($1::uuid[])', [ids]);

export const accountsThatKnow = async (sql: Sql, { recipient }: Person): Promise<string[]> =>
  (
    await sql.rows<{ account_id: string }>('select account_id from recipients where recipient = $1', [
      recipient,
    ])
  ).map(({ account_id }) => account_id);

export const deleteRecipient = (tx: Tx, account_id: string, { recipient }: Person): Promise<number> =>
  tx.run('delete from recipients where account_id = $1 and recipient = $2', [account_id, recipient]);

/** Matches normalised recipients. Refused requests from before normalisation are found by `redactTexts`. */
export const eraseRequestLogs = (sql: Sql, { recipient }: Person, [from, to]: Window): Promise<number> =>
  sql.run('update request_logs set recipient = $4 where id >= $2 and id < $3 and recipient = $1', [
    recipient,
    from,
    to,
    ERASED,
  ]);

export const eraseWebhookMessages = (sql: Sql, person: Person, [from, to]: Window): Promise<number> =>
  sql.run(
    `update webhook_messages set body = jsonb_set(
         case when ${NAMES(`body #>> '{data,failure}'`)} then jsonb_set(body, '{data,failure}', to_jsonb($6::text)) else body end,
         '{data,recipient}', case when body #>> '{data,recipient}' = $3 then to_jsonb($6::text) else body #> '{data,recipient}' end)
     where id >= $4 and id < $5
       and (body #>> '{data,recipient}' = $3 or ${NAMES(`body #>> '{data,failure}'`)})`,
    [...patterns(person), person.recipient, from, to, ERASED],
  );

export const eraseAnswers = (sql: Sql, { recipient }: Person): Promise<number> =>
  sql.run(
    `update idempotency_keys set response = jsonb_set(response::jsonb, '{recipient}', to_jsonb($2::text))::json
     where response ->> 'recipient' = $1`,
    [recipient, ERASED],
  );

export const deleteSandboxMessagesTo = (sql: Sql, { recipient }: Person): Promise<number> =>
  sql.run('delete from sandbox_messages where recipient = $1', [recipient]);

/** Counts the accounts with this address or number. */
export const countAccountsOf = async (sql: Sql, { recipient }: Person): Promise<number> =>
  (
    await sql.one<{ n: number }>(
      'select count(*) as n from accounts where (email = $1 or phone_number = $1) and deleted_at is null',
      [recipient],
    )
  ).n;
