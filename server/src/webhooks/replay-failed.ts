import { REPLAY_MOST } from '@sixdigit/contract/webhooks.ts';
import type { Sql, Tx } from '../platform/db/sql.ts';
import { Failure, FieldErrors } from '../platform/http/failure.ts';
import type { Needs } from '../platform/platform.ts';
import { type EndpointKey, lockEndpoint } from './queries.ts';
import { limitReplays } from './webhooks.ts';

const STATEMENT_MS = 5_000;
const CANCELED = '57014';

/**
 * Queues the messages that failed since a time, and makes waiting retries due. Skips a delivery that was replayed and not
 * attempted since, regardless of the clocks of concurrent calls. Locks the endpoint, so that concurrent calls queue each
 * message once.
 */
export async function replayFailed(
  app: Needs<'db' | 'wakeups'>,
  key: EndpointKey,
  since: string,
): Promise<{ queued: number; has_more: boolean }> {
  const result = await app.db.transaction(
    async (tx) => {
      const endpoint = await lockEndpoint(tx, key);
      if (!endpoint) throw new Failure('not_found');
      if (!endpoint.is_active)
        throw new FieldErrors({ is_active: ['This webhook is inactive. Activate it first.'] });
      await limitReplays(tx, key.id);
      return queueFailed(tx, key.id, since).catch((error: unknown) => {
        throw (error as { code?: unknown }).code === CANCELED
          ? new Failure('list_timeout', {}, { cause: error })
          : error;
      });
    },
    { timeoutMs: STATEMENT_MS },
  );
  if (result.queued > 0) app.wakeups.notify('webhooks');
  return result;
}

// ── statements ──

const queueFailed = (
  tx: Tx,
  endpoint_id: string,
  since: string,
): Promise<{ queued: number; has_more: boolean }> =>
  tx.one(
    `with failed as materialized (
       select a.message_id, max(a.attempt) as tries from webhook_attempts a
       where a.endpoint_id = $1 and not a.succeeded and a.event_type <> 'webhook.test'
         and a.id >= uuid_floor(greatest($2::timestamptz, clock_now() - interval '30 days'))
         and not exists (
           select from webhook_attempts b
           where b.endpoint_id = a.endpoint_id and b.message_id = a.message_id and b.succeeded)
         and not exists (
           select from webhook_deliveries d
           where d.id = a.message_id and (d.worker_id is not null or d.tries_before_replay >= d.tries))
       group by a.message_id order by a.message_id limit ${REPLAY_MOST + 1}
     ), queued as (
       insert into webhook_deliveries (id, endpoint_id, account_id, run_at, tries, tries_before_replay)
       select m.id, m.endpoint_id, m.account_id, clock_now(), f.tries, f.tries
       from (select * from failed order by message_id limit ${REPLAY_MOST}) f
       join webhook_messages m on m.endpoint_id = $1 and m.id = f.message_id
       on conflict (id) do update
         set run_at = excluded.run_at, tries_before_replay = webhook_deliveries.tries
         where webhook_deliveries.worker_id is null
           and webhook_deliveries.tries_before_replay < webhook_deliveries.tries
       returning id
     )
     select (select count(*) from queued) as queued, (select count(*) > ${REPLAY_MOST} from failed) as has_more`,
    [endpoint_id, since],
  );

/** Deliveries that wait or are in flight. */
export const countWaiting = async (sql: Sql, endpoint_id: string): Promise<number> =>
  (
    await sql.one<{ waiting: number }>(
      'select count(*) as waiting from webhook_deliveries where endpoint_id = $1',
      [endpoint_id],
    )
  ).waiting;
