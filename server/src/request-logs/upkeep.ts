import {
  deleteRowsOf,
  ERASED,
  type FreeTexts,
  type IdRange,
  type RecipientForms,
} from '../platform/db/erasure.ts';
import type { RetentionRules } from '../platform/db/retention.ts';
import type { Sql } from '../platform/db/sql.ts';

/** Rows that were written before recipients of refused requests were normalized contain the caller's spelling. */
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

/** Matches normalized recipients only. `requestLogTexts` covers the others. */
export const eraseRecipientFromLogs = (
  sql: Sql,
  { recipient, hashes }: RecipientForms,
  [from, to]: IdRange,
): Promise<number> =>
  sql.run(
    `update request_logs set recipient = $4, recipient_hash = null
     where id >= $2 and id < $3 and (recipient = $1 or recipient_hash = any ($5::bytea[]))`,
    [recipient, from, to, ERASED, hashes],
  );

/** Deletes up to `most` rows of a deleted account. Returns the number of deleted rows. */
export const deleteRequestLogsOf = (sql: Sql, limit: { account_id: string; most: number }): Promise<number> =>
  deleteRowsOf(sql, { table: 'request_logs', key: 'id' }, limit);

export const requestLogRetention: RetentionRules = {
  monthly: [
    {
      table: 'request_logs',
      id: 'id',
      key: 'account_id, id',
      days: 'logRetentionDays',
      recipients: { texts: [] },
      counted: [{ list: 'requests', kinds: 'response_status_code::text, request_type, credits_used' }],
      searchIndexes: [
        { ending: 'recipient', on: 'gin (recipient gin_trgm_ops)', extension: 'pg_trgm' },
        {
          ending: 'recipient_hash',
          on: 'btree (account_id, recipient_hash) where recipient_hash is not null',
        },
        // Serves pages of refused requests by response time with index-only scans. The index includes the columns that its
        // expressions use, because PostgreSQL would otherwise read the rows.
        {
          ending: 'refused_by_duration',
          on: `btree (account_id, ((response_time_ms * 10)::integer), ((created_at at time zone 'UTC')::date) desc, id desc)
            include (response_time_ms, created_at, response_status_code, api_key_id) where response_status_code >= 400`,
        },
      ],
    },
  ],
};
