import type { Reply } from '@sixdigit/contract/route.ts';
import type { getWebhookAttempt } from '@sixdigit/contract/webhooks.ts';
import type { Sql } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import { isUuid } from '../platform/security/random.ts';
import { requestHeaders } from './delivery.ts';
import type { EndpointKey } from './queries.ts';

/** Signatures are not stored, and the secret of that time may have been replaced. */
const NOT_STORED = 'v1,(not stored)';

/** The request of one attempt, as it was sent, and its response. Throws `not_found`. */
export async function attemptOf(
  sql: Sql,
  endpoint: EndpointKey,
  id: string,
): Promise<Reply<typeof getWebhookAttempt>> {
  const isKnown = isUuid(endpoint.id) && isUuid(id);
  const attempt = isKnown ? await findAttempt(sql, endpoint, id.toLowerCase()) : undefined;
  if (!attempt) throw new Failure('not_found');
  const { message_id, attempted_at, body, response_excerpt } = attempt;
  const headers = requestHeaders({
    'webhook-id': message_id,
    'webhook-timestamp': String(Math.floor(Date.parse(attempted_at) / 1000)),
    'webhook-signature': NOT_STORED,
  });
  return { id: attempt.id, method: 'POST', headers, body, response_excerpt };
}

const findAttempt = (sql: Sql, { id: endpoint_id, account_id }: EndpointKey, id: string) =>
  sql.maybe<{
    id: string;
    message_id: string;
    attempted_at: string;
    body: string | null;
    response_excerpt: string | null;
  }>(
    `select a.id, a.message_id, a.attempted_at, a.response_excerpt, m.body::text as body
     from webhook_attempts a left join webhook_messages m on m.endpoint_id = a.endpoint_id and m.id = a.message_id
     where a.endpoint_id = $1 and a.account_id = $2 and a.id = $3
       and a.id >= uuid_floor(clock_now() - interval '30 days')`,
    [endpoint_id, account_id, id],
  );
