import {
  deleteRowsOf,
  ERASED,
  type FreeTexts,
  type IdRange,
  mayName,
  namePatterns,
  type RecipientForms,
} from '../platform/db/erasure.ts';
import type { Sql } from '../platform/db/sql.ts';

export const webhookTexts: readonly FreeTexts[] = [
  {
    table: 'webhook_attempts',
    key: ['endpoint_id', 'id'],
    orderedId: 'id',
    columns: ['error', 'response_excerpt'],
    counts: 'webhook_attempts',
  },
];

export const eraseRecipientFromMessages = (
  sql: Sql,
  forms: RecipientForms,
  [from, to]: IdRange,
): Promise<number> =>
  sql.run(
    `update webhook_messages set body = jsonb_set(
         case when ${mayName(`body #>> '{data,failure}'`)} then jsonb_set(body, '{data,failure}', to_jsonb($6::text)) else body end,
         '{data,recipient}', case when body #>> '{data,recipient}' = $3 then to_jsonb($6::text) else body #> '{data,recipient}' end)
     where id >= $4 and id < $5
       and (body #>> '{data,recipient}' = $3 or ${mayName(`body #>> '{data,failure}'`)})`,
    [...namePatterns(forms), forms.recipient, from, to, ERASED],
  );

const TABLES = ['webhook_deliveries', 'webhook_messages', 'webhook_attempts'];

/** Deletes up to `most` rows of a deleted account from one table after the other. Returns the number of deleted rows. */
export async function deleteWebhookMessagesOf(
  sql: Sql,
  limit: { account_id: string; most: number },
): Promise<number> {
  let deleted = 0;
  for (const table of TABLES) {
    deleted = await deleteRowsOf(sql, { table, key: 'id' }, limit);
    if (deleted >= limit.most) break;
  }
  return deleted;
}
