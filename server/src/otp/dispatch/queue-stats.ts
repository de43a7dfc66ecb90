import { CHANNELS, type Channel } from '@sixdigit/contract/channels.ts';
import type { Queryable, Sql } from '../../platform/db/sql.ts';
import type { DatabaseGauges } from '../../platform/metrics.ts';

export interface QueueStats {
  channel: string;
  /** messages on their way to a carrier */
  messages: number;
  /** messages that are due and not claimed */
  due: number;
  /** how long the oldest of these has waited */
  oldest_seconds: number;
}

/** The dispatch queue, with a row for every channel. */
export const queueStats = (sql: Sql): Promise<QueueStats[]> =>
  sql.rows<QueueStats>(
    `select c.channel, count(d.id) as messages,
       count(d.id) filter (where d.worker_id is null and d.run_at <= clock_now()) as due,
       coalesce(greatest(0, extract(epoch from clock_now() - min(d.run_at) filter (where d.worker_id is null))), 0)
         as oldest_seconds
     from unnest($1::text[]) as c (channel) left join deliveries d on d.channel = c.channel
     group by c.channel`,
    [CHANNELS],
  );

export const queueGauges: DatabaseGauges = {
  gauges: [
    { name: 'queue_messages', help: 'Messages on their way to a carrier.', labelNames: ['channel'] },
    {
      name: 'queue_oldest_seconds',
      help: 'How long the oldest due message has waited.',
      labelNames: ['channel'],
    },
  ],
  read: async (sql) =>
    (await queueStats(sql)).flatMap(({ channel, messages, oldest_seconds }) => [
      { name: 'queue_messages', labels: { channel }, value: messages },
      { name: 'queue_oldest_seconds', labels: { channel }, value: oldest_seconds },
    ]),
};

/** The messages of each channel that wait, and how long the oldest due one has waited. */
export const selectQueues = (
  sql: Queryable,
): Promise<{ channel: Channel; waiting: number; oldest_seconds: number }[]> =>
  sql.rows(
    `select channel, count(*) as waiting, coalesce(greatest(0, extract(epoch from clock_now() - min(run_at)
       filter (where worker_id is null))), 0)::float8 as oldest_seconds
     from deliveries group by channel`,
  );
