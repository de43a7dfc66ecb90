import type { z } from 'zod';
import type { listWebhookAttempts, listWebhooks, Webhook, WebhookAttempt } from '#contract/webhooks.ts';
import { likeLiteral, type Sql } from '../db/sql.ts';
import { COLUMNS, type EndpointKey } from './queries.ts';

type Page<T> = Promise<{ results: T[]; count: number }>;

/** A fixed set, so that a name from outside is never SQL. What never happened comes last in descending order. */
const endpointOrder = (ordering: z.output<typeof listWebhooks.query>['ordering']): string => {
  const [column, way] = ordering.startsWith('-')
    ? [ordering.slice(1), 'desc nulls last']
    : [ordering, 'asc nulls first'];
  const by = column === 'name' || column === 'url' ? `lower(${column})` : column;
  return `${by} ${way}, id ${way}`;
};

export async function listEndpoints(
  sql: Sql,
  accountId: string,
  query: z.output<typeof listWebhooks.query>,
): Page<Webhook> {
  const where = `account_id = $1 and ($2 = '' or name ilike '%' || $2 || '%' or url ilike '%' || $2 || '%')`;
  const params = [accountId, likeLiteral(query.search)];
  const { count } = await sql.one<{ count: number }>(
    `select count(*) from webhook_endpoints where ${where}`,
    params,
  );
  const results = await sql.rows<Webhook>(
    `select ${COLUMNS} from webhook_endpoints where ${where}
     order by ${endpointOrder(query.ordering)} limit $3 offset $4`,
    [...params, query.page_size, (query.page - 1) * query.page_size],
  );
  return { results, count };
}

/** Ids are made when an attempt begins, so their order is the order of time. */
export async function listAttempts(
  sql: Sql,
  endpoint: EndpointKey,
  query: z.output<typeof listWebhookAttempts.query>,
): Page<WebhookAttempt> {
  const where = `account_id = $1 and endpoint_id = $2 and id >= uuid_floor(clock_now() - interval '30 days')
    and ($3::boolean is null or succeeded = $3)
    and ($4 = '' or event_type ilike '%' || $4 || '%' or error ilike '%' || $4 || '%'
      or message_id::text ilike '%' || $4 || '%' or otp_id::text ilike '%' || $4 || '%')`;
  const succeeded = query.succeeded === undefined ? null : query.succeeded === 'true';
  const params = [endpoint.account_id, endpoint.id, succeeded, likeLiteral(query.search)];
  const { count } = await sql.one<{ count: number }>(
    `select count(*) from webhook_attempts where ${where}`,
    params,
  );
  const results = await sql.rows<WebhookAttempt>(
    `select id, message_id, event_type, otp_id, attempt, attempted_at, response_status, duration_ms, succeeded, error,
       response_excerpt, next_attempt_at
     from webhook_attempts where ${where}
     order by id ${query.ordering === '-attempted_at' ? 'desc' : 'asc'} limit $5 offset $6`,
    [...params, query.page_size, (query.page - 1) * query.page_size],
  );
  return { results, count };
}
