import type { Sql } from '../platform/db/sql.ts';
import type { DatabaseGauges } from '../platform/metrics.ts';

/** The delivery queue: its messages, and how long the oldest one that is due and not claimed has waited. */
export const webhookQueueStats = (sql: Sql): Promise<{ messages: number; oldest_seconds: number }> =>
  sql.one(
    `select count(*) as messages,
       coalesce(greatest(0, extract(epoch from clock_now() - min(run_at) filter (where worker_id is null))), 0)
         as oldest_seconds
     from webhook_deliveries`,
  );

export const webhookGauges: DatabaseGauges = {
  gauges: [{ name: 'webhook_queue_messages', help: 'Webhook messages on their way.' }],
  read: async (sql) => [{ name: 'webhook_queue_messages', value: (await webhookQueueStats(sql)).messages }],
};
