import type { Webhook, WebhookBody } from '@sixdigit/contract/webhooks.ts';
import type { z } from 'zod';
import { lockKey } from '../platform/db/advisory-locks.ts';
import type { Queryable, Sql, Tx } from '../platform/db/sql.ts';

export const COLUMNS = `id, name, url, is_active, send_on_sent, send_on_delivered, send_on_failed, send_on_verified,
  send_on_expired, send_on_step, total_sent, consecutive_failures, last_sent_at, last_success_at, disabled_reason, created_at`;

/** An endpoint's editable settings. */
export type EndpointSettings = Omit<z.output<typeof WebhookBody>, 'secret'>;

export interface EndpointKey {
  id: string;
  account_id: string;
}

const valuesOf = (set: EndpointSettings) => [
  set.name,
  set.url,
  set.is_active,
  set.send_on_sent,
  set.send_on_delivered,
  set.send_on_failed,
  set.send_on_verified,
  set.send_on_expired,
  set.send_on_step,
];

/** Prevents concurrent requests from adding endpoints to an account until the transaction ends. */
export const lockEndpointsOf = (tx: Tx, account_id: string) =>
  lockKey(tx, 'webhookEndpoints', `webhook endpoints ${account_id}`);

export const countEndpoints = async (tx: Tx, account_id: string) =>
  (
    await tx.one<{ count: number }>('select count(*) from webhook_endpoints where account_id = $1', [
      account_id,
    ])
  ).count;

export const insertEndpoint = (tx: Tx, key: EndpointKey, set: EndpointSettings, secret: Buffer) =>
  tx.one<Webhook>(
    `insert into webhook_endpoints (id, account_id, secret, name, url, is_active, send_on_sent, send_on_delivered,
       send_on_failed, send_on_verified, send_on_expired, send_on_step, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, clock_now())
     returning ${COLUMNS}`,
    [key.id, key.account_id, secret, ...valuesOf(set)],
  );

/**
 * A new URL or enabling the endpoint resets its failures. A disabled endpoint keeps its reason, so that a passing test can
 * reactivate it. A new secret replaces the old ones immediately; null keeps them.
 */
export const updateEndpoint = (tx: Tx, key: EndpointKey, set: EndpointSettings, secret: Buffer | null) =>
  tx.maybe<Webhook>(
    `update webhook_endpoints e
     set secret = coalesce($3, secret),
       previous_secret = case when $3::bytea is null then previous_secret end,
       previous_secret_until = case when $3::bytea is null then previous_secret_until end,
       name = $4, url = $5, is_active = $6, send_on_sent = $7, send_on_delivered = $8, send_on_failed = $9,
       send_on_verified = $10, send_on_expired = $11, send_on_step = $12,
       disabled_reason = case when not $6 then disabled_reason end,
       consecutive_failures = case when e.url <> $5 or ($6 and not e.is_active) then 0 else consecutive_failures end,
       failing_since = case when e.url <> $5 or ($6 and not e.is_active) then null else failing_since end
     where id = $1 and account_id = $2
     returning ${COLUMNS}`,
    [key.id, key.account_id, secret, ...valuesOf(set)],
  );

export const deleteEndpoint = (tx: Tx, { id, account_id }: EndpointKey) =>
  tx.run('delete from webhook_endpoints where id = $1 and account_id = $2', [id, account_id]);

export const deleteRates = (tx: Tx, endpoint_id: string) =>
  tx.run('delete from webhook_rates where endpoint_id = $1', [endpoint_id]);

export const endpointIdsOf = (tx: Tx, account_id: string) =>
  tx.rows<{ id: string }>('select id from webhook_endpoints where account_id = $1', [account_id]);

export interface EndpointToSend {
  endpoint_id: string;
  account_id: string;
  name: string;
  url: string;
  is_active: boolean;
  secret: Buffer;
  previous_secret: Buffer | null;
}

/** The endpoint as screens show it, locked until the transaction ends. */
export const lockShown = (tx: Tx, { id, account_id }: EndpointKey) =>
  tx.maybe<Webhook>(
    `select ${COLUMNS} from webhook_endpoints where id = $1 and account_id = $2 for no key update`,
    [id, account_id],
  );

const TO_SEND = `id as endpoint_id, account_id, name, url, is_active, secret,
  case when previous_secret_until > clock_now() then previous_secret end as previous_secret`;

export const findEndpoint = (sql: Sql, { id, account_id }: EndpointKey) =>
  sql.maybe<EndpointToSend>(`select ${TO_SEND} from webhook_endpoints where id = $1 and account_id = $2`, [
    id,
    account_id,
  ]);

export const lockEndpoint = (tx: Tx, { id, account_id }: EndpointKey) =>
  tx.maybe<EndpointToSend & { tomorrow: string }>(
    `select ${TO_SEND}, clock_now() + interval '24 hours' as tomorrow
     from webhook_endpoints where id = $1 and account_id = $2 for no key update`,
    [id, account_id],
  );

export const replaceSecret = (
  tx: Tx,
  endpoint_id: string,
  next: { secret: Buffer; previous_secret: Buffer; previous_secret_until: string },
) =>
  tx.run(
    `update webhook_endpoints set secret = $2, previous_secret = $3, previous_secret_until = $4 where id = $1`,
    [endpoint_id, next.secret, next.previous_secret, next.previous_secret_until],
  );

const WINDOWS = { test: '1 minute', replay: '1 minute', mail: '1 day' } as const;
export type Counted = keyof typeof WINDOWS;

/**
 * Counts one use in the current window: tests and mails per account, replays per endpoint. `retry_after` is the number of seconds
 * left in that window.
 */
export const countUse = (tx: Tx, subjectId: string, action: Counted) =>
  tx.one<{ used: number; retry_after: number }>(
    `insert into webhook_rates as r (endpoint_id, action, since, used) values ($1, $2, clock_now(), 1)
     on conflict (endpoint_id, action) do update set
       used = case when r.since > clock_now() - $3::interval then r.used + 1 else 1 end,
       since = case when r.since > clock_now() - $3::interval then r.since else clock_now() end
     returning used,
       greatest(1, ceil(extract(epoch from since + $3::interval - clock_now())))::integer as retry_after`,
    [subjectId, action, WINDOWS[action]],
  );

export const hasMessage = async (sql: Queryable, endpoint_id: string, message_id: string) =>
  (
    await sql.one<{ found: boolean }>(
      `select exists (select from webhook_messages
         where endpoint_id = $1 and id = $2 and id >= uuid_floor(clock_now() - interval '30 days')) as found`,
      [endpoint_id, message_id],
    )
  ).found;

export interface NewMessage {
  id: string;
  endpoint_id: string;
  account_id: string;
  type: string;
  body: object;
}

/** The stored text is sent and signed: JSON as the database formats it, identical for every attempt. */
export const insertMessage = (tx: Tx, { id, endpoint_id, account_id, type, body }: NewMessage) =>
  tx.one<{ body: string }>(
    `insert into webhook_messages (id, endpoint_id, account_id, type, body, created_at)
     values ($1, $2, $3, $4, $5, clock_now())
     returning body::text`,
    [id, endpoint_id, account_id, type, JSON.stringify(body)],
  );
