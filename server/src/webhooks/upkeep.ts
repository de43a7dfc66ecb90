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
import type { Sql, Tx } from '../platform/db/sql.ts';
import type { DatabaseGauges } from '../platform/metrics.ts';

export const webhookTexts: readonly FreeTexts[] = [
  {
    table: 'webhook_attempts',
    key: ['endpoint_id', 'id'],
    orderedId: 'id',
    columns: ['error', 'response_excerpt'],
    counts: 'webhook_attempts',
  },
  {
    table: 'webhook_messages',
    key: ['endpoint_id', 'id'],
    orderedId: 'id',
    json: 'body',
    columns: ['{data,metadata}', '{data,purpose}'],
    counts: 'texts_of_others',
  },
];

export const eraseRecipientFromMessages = (
  sql: Sql,
  forms: RecipientForms,
  [from, to]: IdRange,
): Promise<number> =>
  sql.run(
    `update webhook_messages set body = jsonb_set(
         case when ${mayName(`body #>> '{data,failure}'`)} then jsonb_set(body, '{data,failure}', to_jsonb($6::text)) else body end
           #- case when body #>> '{data,recipient}' = $3 then '{data,metadata}'::text[] else '{}' end
           #- case when body #>> '{data,recipient}' = $3 then '{data,purpose}'::text[] else '{}' end,
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

/** Messages can be replayed until they are deleted. */
export const WEBHOOK_DAYS = 30;

export const webhookRetention: RetentionRules = {
  monthly: [
    { table: 'webhook_attempts', id: 'id', key: 'endpoint_id, id', days: WEBHOOK_DAYS },
    { table: 'webhook_messages', id: 'id', key: 'endpoint_id, id', days: WEBHOOK_DAYS },
  ],
};

/** Returns the given workers that hold claims in the delivery queue. */
export const webhookClaimHolders = async (tx: Tx, workers: readonly string[]): Promise<string[]> =>
  (
    await tx.rows<{ id: string }>(
      'select distinct worker_id as id from webhook_deliveries where worker_id = any ($1)',
      [workers],
    )
  ).map(({ id }) => id);

interface QueueStats {
  messages: number;
  oldest_seconds: number;
  /** the messages that an endpoint has not accepted, and these endpoints */
  retrying: number;
  retrying_endpoints: number;
}

/** The delivery queue: its messages, and how long the oldest one that is due and not claimed has waited. */
export const webhookQueueStats = (sql: Sql): Promise<QueueStats> =>
  sql.one(
    `select count(*) as messages,
       coalesce(greatest(0, extract(epoch from clock_now() - min(run_at) filter (where worker_id is null))), 0)
         as oldest_seconds,
       count(*) filter (where tries > tries_before_replay) as retrying,
       count(distinct endpoint_id) filter (where tries > tries_before_replay) as retrying_endpoints
     from webhook_deliveries`,
  );

export const webhookGauges: DatabaseGauges = {
  gauges: [{ name: 'webhook_queue_messages', help: 'Webhook messages on their way.' }],
  read: async (sql) => [{ name: 'webhook_queue_messages', value: (await webhookQueueStats(sql)).messages }],
};
