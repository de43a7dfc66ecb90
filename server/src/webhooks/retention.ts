import type { RetentionRules } from '../platform/db/retention.ts';
import type { Tx } from '../platform/db/sql.ts';

/** Messages can be replayed until they are deleted. */
export const WEBHOOK_DAYS = 30;

export const webhookRetention: RetentionRules = {
  monthly: [
    { table: 'webhook_attempts', id: 'id', key: 'endpoint_id, id', days: WEBHOOK_DAYS },
    { table: 'webhook_messages', id: 'id', key: 'endpoint_id, id', days: WEBHOOK_DAYS },
  ],
};

/** Those of these workers that have claims in the delivery queue. */
export const webhookClaimHolders = async (tx: Tx, workers: readonly string[]): Promise<string[]> =>
  (
    await tx.rows<{ id: string }>(
      'select distinct worker_id as id from webhook_deliveries where worker_id = any ($1)',
      [workers],
    )
  ).map(({ id }) => id);
