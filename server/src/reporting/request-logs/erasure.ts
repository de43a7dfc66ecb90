import {
  deleteRowsOf,
  ERASED,
  type FreeTexts,
  type IdRange,
  type RecipientForms,
} from '../../platform/db/erasure.ts';
import type { Sql } from '../../platform/db/sql.ts';

/** Refused requests from before normalisation contain the caller's spelling. */
export const requestLogTexts: readonly FreeTexts[] = [
  {
    table: 'request_logs',
    key: ['account_id', 'id'],
    orderedId: 'id',
    columns: ['recipient'],
    counts: 'request_logs',
    whole: ERASED,
  },
];

/** Matches normalised recipients only; `requestLogTexts` has the others. */
export const eraseRecipientFromLogs = (
  sql: Sql,
  { recipient }: RecipientForms,
  [from, to]: IdRange,
): Promise<number> =>
  sql.run('update request_logs set recipient = $4 where id >= $2 and id < $3 and recipient = $1', [
    recipient,
    from,
    to,
    ERASED,
  ]);

/** Deletes up to `most` rows of a deleted account. Returns the number of deleted rows. */
export const deleteRequestLogsOf = (sql: Sql, limit: { account_id: string; most: number }): Promise<number> =>
  deleteRowsOf(sql, { table: 'request_logs', key: 'id' }, limit);
