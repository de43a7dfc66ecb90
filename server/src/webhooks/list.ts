import type { Parsed } from '@sixdigit/contract/route.ts';
import type {
  exportWebhookAttempts,
  listWebhookAttempts,
  listWebhooks,
  VerificationWebhook,
  Webhook,
  WebhookAttempt,
} from '@sixdigit/contract/webhooks.ts';
import {
  beginOfPart,
  containing,
  orderBy,
  type PartOf,
  pageOf,
  type Reader,
  searchable,
  searchableBy,
} from '../platform/db/page.ts';
import type { Queryable, Sql } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import { isUuid } from '../platform/security/random.ts';
import { COLUMNS, type EndpointKey, findEndpoint } from './queries.ts';

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
  { account_id, role }: Reader & { account_id: string },
  query: Parsed<typeof listWebhooks, 'query'>,
): Promise<{ results: Webhook[]; count: number }> {
  const [name, url] = ['name', 'url'].map((column) => searchableBy({ role }, column));
  const where = `account_id = $1 and ($2::text is null or ${name} ilike $2 or ${url} ilike $2)`;
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

/**
 * The next attempt is in the queue, because a replay or a later success may have changed the schedule that the attempt
 * recorded.
 */
const NEXT_ATTEMPT = `(
  select d.run_at from webhook_deliveries d
  where d.id = webhook_attempts.message_id and d.tries = webhook_attempts.attempt and d.worker_id is null)`;
const IS_DELIVERED = `(succeeded or exists (
  select from webhook_attempts later
  where later.endpoint_id = webhook_attempts.endpoint_id and later.message_id = webhook_attempts.message_id
    and later.succeeded))`;
const ATTEMPT = `id, message_id, event_type, otp_id, attempt, attempted_at, response_status, duration_ms, succeeded, error,
  response_excerpt, ${NEXT_ATTEMPT} as next_attempt_at, ${IS_DELIVERED} as delivered`;
const KEPT_FROM = `uuid_floor(clock_now() - interval '30 days')`;
const attempts = (error: string): string => `account_id = $1 and endpoint_id = $2 and id >= ${KEPT_FROM}
  and ($3::boolean is null or succeeded = $3)
  and ($4::text is null or event_type ilike $4 or ${error} ilike $4 or message_id::text ilike $4 or otp_id::text ilike $4)
  and ($5::boolean is null or ${IS_DELIVERED} = $5)`;

type AttemptQuery = Parsed<typeof exportWebhookAttempts, 'query'>;

function attemptParams({ account_id, id }: EndpointKey, query: AttemptQuery): unknown[] {
  const isTrue = (text: 'true' | 'false' | undefined) => (text === undefined ? null : text === 'true');
  return [account_id, id, isTrue(query.succeeded), containing(query.search), isTrue(query.delivered)];
}

export async function selectAttemptPart(
  sql: Queryable,
  endpoint: EndpointKey,
  { reader, ...query }: AttemptQuery & { reader: Reader },
  part: PartOf,
): Promise<{ rows: WebhookAttempt[]; next: string | null }> {
  const { from_id } = await sql.one<{ from_id: string }>(`select ${KEPT_FROM} as from_id`);
  const next = await beginOfPart(sql, {
    from: 'webhook_attempts',
    owner: 'endpoint_id',
    owner_id: endpoint.id,
    from_id,
    ...part,
  });
  const rows = await sql.rows<WebhookAttempt>(
    `select ${ATTEMPT} from webhook_attempts where ${attempts(searchableBy(reader, 'error'))} and id < $6::uuid and id >= $7::uuid order by id desc`,
    [...attemptParams(endpoint, query), part.below, next ?? from_id],
  );
  return { rows, next };
}

/** Throws `not_found` for an endpoint that does not exist or belongs to another account. */
export async function attemptsOf(
  sql: Sql,
  endpoint: EndpointKey,
  query: Parsed<typeof listWebhookAttempts, 'query'>,
  reader: Reader | 'operator',
): Promise<{ results: WebhookAttempt[]; count: number }> {
  if (!isUuid(endpoint.id) || !(await findEndpoint(sql, endpoint))) throw new Failure('not_found');
  return listAttempts(sql, endpoint, { ...query, reader });
}

async function listAttempts(
  sql: Sql,
  endpoint: EndpointKey,
  { reader, ...query }: Parsed<typeof listWebhookAttempts, 'query'> & { reader: Reader | 'operator' },
): Promise<{ results: WebhookAttempt[]; count: number }> {
  const params = attemptParams(endpoint, query);
  const where = attempts(reader === 'operator' ? searchable('error', true) : searchableBy(reader, 'error'));
  const { limit, offset } = pageOf(query);
  const { count } = await sql.one<{ count: number }>(
    `select count(*) from webhook_attempts where ${where}`,
    params,
  );
  const results = await sql.rows<WebhookAttempt>(
    `select ${ATTEMPT} from webhook_attempts where ${where}
     order by ${orderBy(query.ordering, ATTEMPT_ORDER, 'id')} limit $6 offset $7`,
    [...params, limit, offset],
  );
  return { results, count };
}

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
