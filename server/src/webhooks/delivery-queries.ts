import type { Sql, Tx } from '../platform/db/sql.ts';
import { stillDead } from '../platform/queue/work.ts';

/** One message for one endpoint. */
export interface Parcel {
  id: string;
  endpoint_id: string;
  account_id: string;
  type: string;
  otp_id: string | null;
  /** The exact bytes that are sent and signed. */
  body: string;
  url: string;
  secret: Buffer;
  previous_secret: Buffer | null;
}

/** A message that a worker has claimed, with all it needs to be sent. */
export interface Claimed extends Parcel {
  tries: number;
  tries_before_replay: number;
  /** Fences every later change of the row. */
  claim: string;
}

export interface ClaimRequest {
  worker_id: string;
  claim: string;
  most: number;
  per_endpoint: number;
}

export const claimDeliveries = (sql: Sql, { worker_id, claim, most, per_endpoint }: ClaimRequest) =>
  sql.rows<Claimed>('select *, $2::uuid as claim from claim_webhook_deliveries($1, $2, $3, $4)', [
    worker_id,
    claim,
    most,
    per_endpoint,
  ]);

/** Releases the claims of dead workers. The interrupted attempt does not count. */
export const freeClaimsOf = (sql: Sql, worker_ids: readonly string[]) =>
  sql.run(
    `update webhook_deliveries set worker_id = null, claim = null
     where worker_id = any (${stillDead('$1')})`,
    [worker_ids],
  );

/** Releases the orphaned claims of a live worker, which it does not hold in memory. */
export const releaseOrphanedClaims = (sql: Sql, worker_id: string, held: readonly string[]) =>
  sql.run(
    `update webhook_deliveries set worker_id = null, claim = null
     where worker_id = $1 and claim <> all ($2::uuid[])`,
    [worker_id, [...new Set(held)]],
  );

/** Releases one delivery of a claim; its retry is due after this many seconds. */
export const releaseClaim = (
  sql: Sql,
  { claim, id, seconds }: { claim: string; id: string; seconds: number },
) =>
  sql.run(
    `update webhook_deliveries
     set run_at = clock_now() + make_interval(secs => $3), worker_id = null, claim = null
     where worker_id is not null and claim = $1 and id = $2`,
    [claim, id, seconds],
  );

type Held = Pick<Claimed, 'id' | 'claim'>;

/** Removes a delivery from the queue. Undefined if the claim is no longer valid. */
export const finishDelivery = (tx: Tx, { id, claim }: Held) =>
  tx.maybe<{ id: string }>('delete from webhook_deliveries where id = $1 and claim = $2 returning id', [
    id,
    claim,
  ]);

/** Schedules a retry and returns its time. Undefined if the claim is no longer valid. */
export const delayDelivery = (tx: Tx, { id, claim }: Held, seconds: number) =>
  tx.maybe<{ run_at: string }>(
    `update webhook_deliveries
     set run_at = clock_now() + make_interval(secs => $3), tries = tries + 1,
       worker_id = null, claim = null
     where id = $1 and claim = $2
     returning run_at`,
    [id, claim, seconds],
  );

/** Empties the queue of an endpoint, except for deliveries in flight: the result of their attempt ends those. */
export const dropQueue = (tx: Tx, endpoint_id: string) =>
  tx.run(
    `delete from webhook_deliveries where id in (
       select id from webhook_deliveries where endpoint_id = $1 and worker_id is null for update skip locked)`,
    [endpoint_id],
  );

/** Queues a message again, from the first step of the schedule. A delivery in flight stays unchanged. */
export const queueAgain = (tx: Tx, endpoint_id: string, message_id: string) =>
  tx.run(
    `insert into webhook_deliveries (id, endpoint_id, account_id, run_at, tries, tries_before_replay)
     select m.id, m.endpoint_id, m.account_id, clock_now(), made.tries, made.tries
     from webhook_messages m
     cross join lateral (
       select coalesce(max(a.attempt), 0) as tries from webhook_attempts a
       where a.endpoint_id = m.endpoint_id and a.message_id = m.id
     ) made
     where m.endpoint_id = $1 and m.id = $2
     on conflict (id) do update
       set run_at = excluded.run_at, tries = excluded.tries, tries_before_replay = excluded.tries
       where webhook_deliveries.worker_id is null`,
    [endpoint_id, message_id],
  );

export interface NewAttempt {
  id: string;
  endpoint_id: string;
  account_id: string;
  message_id: string;
  event_type: string;
  otp_id: string | null;
  attempt: number;
  attempted_at: string;
  response_status: number | null;
  duration_ms: number;
  succeeded: boolean;
  error: string | null;
  response_excerpt: string | null;
  next_attempt_at: string | null;
}

export const insertAttempt = (tx: Tx, attempt: NewAttempt) =>
  tx.run(
    `insert into webhook_attempts (id, endpoint_id, account_id, message_id, event_type, otp_id, attempt, attempted_at,
       response_status, duration_ms, succeeded, error, response_excerpt, next_attempt_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      attempt.id,
      attempt.endpoint_id,
      attempt.account_id,
      attempt.message_id,
      attempt.event_type,
      attempt.otp_id,
      attempt.attempt,
      attempt.attempted_at,
      attempt.response_status,
      attempt.duration_ms,
      attempt.succeeded,
      attempt.error,
      attempt.response_excerpt,
      attempt.next_attempt_at,
    ],
  );

/** A successful delivery: its claim and its attempt. */
export interface Delivered extends NewAttempt {
  claim: string;
}

/**
 * Ends successful deliveries in one statement: those with a valid claim leave the queue, and their attempts and endpoint
 * counters are stored. Endpoints are locked in the order of their ids, so that batches do not deadlock.
 */
export const finishDelivered = (sql: Sql, all: readonly Delivered[]) =>
  sql.run(
    `with given as materialized (
       select * from json_to_recordset($1) as g (id uuid, endpoint_id uuid, account_id uuid, message_id uuid,
         event_type text, otp_id uuid, attempt smallint, attempted_at timestamptz, response_status smallint,
         duration_ms integer, response_excerpt text, claim uuid)
     ), locked as materialized (
       select e.id from webhook_endpoints e where e.id in (select g.endpoint_id from given g)
       order by e.id for no key update
     ), held as (
       delete from webhook_deliveries d using given g where d.id = g.message_id and d.claim = g.claim returning g.*
     ), counted as (
       update webhook_endpoints e
       set total_sent = total_sent + n.n, consecutive_failures = 0, failing_since = null,
         last_sent_at = clock_now(), last_success_at = clock_now()
       from (select h.endpoint_id, count(*)::integer as n from held h group by h.endpoint_id) n
       join locked l on l.id = n.endpoint_id
       where e.id = n.endpoint_id
     )
     insert into webhook_attempts (id, endpoint_id, account_id, message_id, event_type, otp_id, attempt, attempted_at,
       response_status, duration_ms, succeeded, response_excerpt)
     select id, endpoint_id, account_id, message_id, event_type, otp_id, attempt, attempted_at,
       response_status, duration_ms, true, response_excerpt from held`,
    [JSON.stringify(all)],
  );

/** Records a passed test. It reactivates an endpoint that Sixdigit disabled, but not one that its owner disabled. */
export const recordPassedTest = (tx: Tx, endpoint_id: string) =>
  tx.run(
    `update webhook_endpoints
     set total_sent = total_sent + 1, consecutive_failures = 0, failing_since = null,
       last_sent_at = clock_now(), last_success_at = clock_now(),
       is_active = is_active or disabled_reason is not null, disabled_reason = null
     where id = $1`,
    [endpoint_id],
  );

/**
 * Records a failure. A failed manual test does not start the five days, because no message is lost. Undefined if the endpoint
 * has been deleted.
 */
export const recordFailure = (tx: Tx, endpoint_id: string, isTest: boolean) =>
  tx.maybe<{ is_active: boolean; failing_for_too_long: boolean }>(
    `update webhook_endpoints
     set total_sent = total_sent + 1, consecutive_failures = consecutive_failures + 1, last_sent_at = clock_now(),
       failing_since = case when $2 then failing_since else coalesce(failing_since, clock_now()) end
     where id = $1
     returning is_active, coalesce(failing_since <= clock_now() - interval '5 days', false) as failing_for_too_long`,
    [endpoint_id, isTest],
  );

export type DisabledReason = 'gone' | 'failing';

/** Switches an endpoint off, once. Undefined if it was already off or if its URL has changed since the failure. */
export const switchOff = (tx: Tx, endpoint: { id: string; url: string }, reason: DisabledReason) =>
  tx.maybe<{ name: string; url: string }>(
    `update webhook_endpoints set is_active = false, disabled_reason = $3
     where id = $1 and url = $2 and is_active
     returning name, url`,
    [endpoint.id, endpoint.url, reason],
  );
