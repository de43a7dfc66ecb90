import { deleteRowsOf, ERASED, type RecipientForms } from '../../platform/db/erasure.ts';
import type { Sql } from '../../platform/db/sql.ts';

export const eraseRecipientFromResponses = (sql: Sql, { recipient }: RecipientForms): Promise<number> =>
  sql.run(
    `update idempotency_keys set response = jsonb_set(response::jsonb, '{recipient}', to_jsonb($2::text))::json
     where response ->> 'recipient' = $1`,
    [recipient, ERASED],
  );

/** Deletes up to `most` keys of a deleted account. Returns the number of deleted rows. */
export const deleteIdempotencyKeysOf = (
  sql: Sql,
  limit: { account_id: string; most: number },
): Promise<number> => deleteRowsOf(sql, { table: 'idempotency_keys', key: 'key' }, limit);
