import type { RetentionRules } from '../../platform/db/retention.ts';

export const requestLogRetention: RetentionRules = {
  monthly: [
    {
      table: 'request_logs',
      id: 'id',
      key: 'account_id, id',
      counted: [{ list: 'requests', kinds: 'response_status_code::text, request_type, credits_used' }],
      searchIndexes: [
        { ending: 'recipient', on: 'gin (recipient gin_trgm_ops)', extension: 'pg_trgm' },
        // Pages of refused requests by response time, from the index alone. The columns of the expressions are included, without
        // which PostgreSQL reads the rows.
        {
          ending: 'refused_by_duration',
          on: `btree (account_id, ((response_time_ms * 10)::integer), ((created_at at time zone 'UTC')::date) desc, id desc)
            include (response_time_ms, created_at, response_status_code, api_key_id) where response_status_code >= 400`,
        },
      ],
    },
  ],
};
