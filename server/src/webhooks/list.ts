import type { Parsed } from '#contract/route.ts';
import type { listWebhookAttempts, listWebhooks, Webhook, WebhookAttempt } from '#contract/webhooks.ts';
import { containing, orderBy, pageOf } from '../platform/db/page.ts';
import type { Sql } from '../platform/db/sql.ts';
import { COLUMNS, type EndpointKey } from './queries.ts';

const ENDPOINT_ORDER = {
  created_at: 'id',
  name: 'lower(name)',
  url: 'lower(url)',
  is_active: 'is_active',
  total_sent: 'total_sent',
  last_sent_at: 'last_sent_at',
};

export async function listEndpoints(
  sql: Sql,
  account_id: string,
  query: Parsed<typeof listWebhooks, 'query'>,
): Promise<{ results: Webhook[]; count: number }> {
  const where = 'account_id = $1 and ($2::text is null or name ilike $2 or url ilike $2)';
  const params = [account_id, containing(query.search)];
  const { limit, offset } = pageOf(query);
  const { count } = await sql.one<{ count: number }>(
    `select count(*) from webhook_endpoints where ${where}`,
    params,
  );
  const results = await sql.rows<Webhook>(
    `select ${COLUMNS} from webhook_endpoints where ${where}
     order by ${orderBy(query.ordering, ENDPOINT_ORDER, 'id')} limit $3 offset $4`,
    [...params, limit, offset],
  );
  return { results, count };
}

/** Ids are created when an attempt begins, so they sort by time. */
const ATTEMPT_ORDER = { attempted_at: 'id' };

export async function listAttempts(
  sql: Sql,
  endpoint: EndpointKey,
  query: Parsed<typeof listWebhookAttempts, 'query'>,
): Promise<{ results: WebhookAttempt[]; count: number }> {
  const where = `account_id = $1 and endpoint_id = $2 and id >= uuid_floor(clock_now() - interval '30 days')
    and ($3::boolean is null or succeeded = $3)
    and ($4::text is null or event_type ilike $4 or error ilike $4 or message_id::text ilike $4 or otp_id::text ilike $4)`;
  const succeeded = query.succeeded === undefined ? null : query.succeeded === 'true';
  const params = [endpoint.account_id, endpoint.id, succeeded, containing(query.search)];
  const { limit, offset } = pageOf(query);
  const { count } = await sql.one<{ count: number }>(
    `select count(*) from webhook_attempts where ${where}`,
    params,
  );
  const results = await sql.rows<WebhookAttempt>(
    `select id, message_id, event_type, otp_id, attempt, attempted_at, response_status, duration_ms, succeeded, error,
       response_excerpt, next_attempt_at
     from webhook_attempts where ${where}
     order by ${orderBy(query.ordering, ATTEMPT_ORDER, 'id')} limit $5 offset $6`,
    [...params, limit, offset],
  );
  return { results, count };
}
