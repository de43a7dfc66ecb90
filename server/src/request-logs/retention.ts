import type { RetentionRules } from '../platform/db/retention.ts';

export const requestLogRetention: RetentionRules = {
  monthly: [
    {
      table: 'request_logs',
      id: 'id',
      key: 'account_id, id',
      counted: [{ list: 'requests', kinds: 'response_status_code::text, request_type, credits_used' }],
      searchIndexes: [{ ending: 'recipient', on: 'gin (recipient gin_trgm_ops)', extension: 'pg_trgm' }],
    },
  ],
};
