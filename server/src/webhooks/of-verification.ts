import type { VerificationWebhook } from '@sixdigit/contract/webhooks.ts';
import type { Sql } from '../platform/db/sql.ts';

/**
 * The messages about a verification, oldest first. The id of a message contains the time of the change that it reports, so the
 * times of the changes find it without an index by verification.
 */
export const messagesOfVerification = (
  sql: Sql,
  { account_id, otp_id, times }: { account_id: string; otp_id: string; times: readonly string[] },
): Promise<VerificationWebhook[]> =>
  sql.rows<VerificationWebhook>(
    `select m.id as message_id, json_build_object('id', m.endpoint_id, 'name', m.name) as endpoint, m.type as event_type,
       m.created_at, coalesce(a.attempts, 0)::integer as attempts, a.response_status, coalesce(a.succeeded, false) as succeeded,
       (select run_at from webhook_deliveries where id = m.id and tries > 0 and worker_id is null) as next_attempt_at
     from (
       select distinct on (m.id) m.id, m.type, m.created_at, e.id as endpoint_id, e.name
       from webhook_endpoints e
       cross join unnest($3::timestamptz[]) t (at)
       cross join lateral (
         select id, type, created_at from webhook_messages
         where endpoint_id = e.id and otp_id = $2 and id >= uuid_floor(t.at - interval '5 ms')
           and id < uuid_floor(t.at + interval '5 ms') offset 0) m
       where e.account_id = $1
       order by m.id) m
     left join lateral (
       select count(*) over () as attempts, response_status, succeeded from webhook_attempts
       where endpoint_id = m.endpoint_id and message_id = m.id and id >= uuid_floor(m.created_at - interval '1 minute')
       order by id desc limit 1) a on true
     order by m.id`,
    [account_id, otp_id, times],
  );
