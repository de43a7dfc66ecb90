import type { Parsed } from '@sixdigit/contract/route.ts';
import {
  ATTEMPTS_SHOWN,
  type listWebhookMessages,
  type WebhookDelivery,
} from '@sixdigit/contract/webhooks.ts';
import { containing, orderBy, pageOf, type Reader, wholeFor } from '../platform/db/page.ts';
import type { Sql } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import { type EndpointKey, findEndpoint } from './queries.ts';

type Query = Parsed<typeof listWebhookMessages, 'query'> & { reader: Reader };

/** The messages to an endpoint with their attempts. Throws `not_found`. */
export async function messagesOf(
  sql: Sql,
  endpoint: EndpointKey,
  query: Query,
): Promise<{ results: WebhookDelivery[]; count: number }> {
  if (!(await findEndpoint(sql, endpoint))) throw new Failure('not_found');
  return selectMessages(sql, endpoint, query);
}

// ── statements ──

/** Ids are created with the messages, so they sort by time. */
const ORDER = { created_at: 'id' };

const KEPT_FROM = `uuid_floor(clock_now() - interval '30 days')`;
const RECIPIENT = `case when otp_id is not null then body #>> '{data,recipient}' end`;
/** Viewers cannot search for recipients. */
const matching = (reader: Reader): string => `endpoint_id = $1 and account_id = $2 and id >= ${KEPT_FROM}
  and ($3::text is null or type ilike $3 or id::text ilike $3 or otp_id::text ilike $3${
    wholeFor(reader) === undefined ? ` or ${RECIPIENT} ilike $3` : ''
  })`;
/** Begins with the failed attempts, of which there are few. */
const FAILING = `id in (
  select a.message_id from webhook_attempts a
  where a.endpoint_id = $1 and not a.succeeded and not exists (
    select from webhook_attempts b
    where b.endpoint_id = a.endpoint_id and b.message_id = a.message_id and b.succeeded))`;

async function selectMessages(
  sql: Sql,
  { id, account_id }: EndpointKey,
  query: Query,
): Promise<{ results: WebhookDelivery[]; count: number }> {
  const failing = { true: ` and ${FAILING}`, false: ` and not ${FAILING}` };
  const where = matching(query.reader) + (query.failing ? failing[query.failing] : '');
  const params = [id, account_id, containing(query.search)];
  const { limit, offset } = pageOf(query);
  const order = orderBy(query.ordering, ORDER, 'id');
  const { count } = await sql.one<{ count: number }>(
    `select count(*) from webhook_messages where ${where}`,
    params,
  );
  const results = await sql.rows<WebhookDelivery>(
    `select m.id, m.type as event_type, m.otp_id, m.recipient, m.created_at,
       case when a.is_delivered then 'delivered'
         when d.id is null then case when a.attempt_count = 0 then 'dropped' else 'failed' end
         else case when a.attempt_count = 0 then 'waiting' else 'retrying' end end as state,
       case when d.worker_id is null then d.run_at end as next_attempt_at, a.attempt_count, a.attempts
     from (
       select id, endpoint_id, type, otp_id, ${RECIPIENT} as recipient, created_at
       from webhook_messages where ${where} order by ${order} limit $4 offset $5) m
     left join webhook_deliveries d on d.id = m.id
     cross join lateral (
       select count(*)::integer as attempt_count, coalesce(bool_or(succeeded), false) as is_delivered,
         coalesce(json_agg(json_build_object('id', id, 'attempt', attempt, 'attempted_at', iso(attempted_at),
           'response_status', response_status, 'duration_ms', duration_ms, 'succeeded', succeeded, 'error', error)
           order by id desc) filter (where place <= ${ATTEMPTS_SHOWN}), '[]') as attempts
       from (
         select *, row_number() over (order by id desc) as place from webhook_attempts
         where endpoint_id = m.endpoint_id and message_id = m.id and id >= ${KEPT_FROM}) made) a
     order by ${order}`,
    [...params, limit, offset],
  );
  return { results, count };
}
