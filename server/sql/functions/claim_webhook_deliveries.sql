-- Claims due webhook messages for a worker: first the oldest message of each endpoint, then the second of each, and so on, so that
-- one endpoint's backlog does not delay another. An endpoint that keeps failing gets one message at a time, as a probe. Messages
-- for inactive and deleted endpoints are removed.
--
-- claimant      the worker that claims
-- token         fences every later change of the claimed rows
-- most          the maximum number of messages
-- per_endpoint  how many of an endpoint's messages may be in flight across all processes
-- returns       the claimed messages with all fields that an attempt needs
-- locks         webhookClaims; then rows of webhook_deliveries, skipping locked ones
create or replace function claim_webhook_deliveries(claimant uuid, token uuid, most integer, per_endpoint integer)
returns table (
  id uuid, endpoint_id uuid, account_id uuid, tries smallint, tries_before_replay smallint, type text, otp_id uuid,
  body text, url text, secret bytea, previous_secret bytea
)
language plpgsql volatile
-- Forces index scans, because plans are mostly made while the queue is empty and must also suit a long queue.
set enable_seqscan = off set enable_bitmapscan = off
as $$
#variable_conflict use_column
begin
  -- Claims are serialized, because each counts the messages in flight and then adds to them.
  perform pg_advisory_xact_lock(7365740 /* webhookClaims */);
  return query
  with recursive queued (endpoint_id, run_at) as (
    -- Finds the oldest delivery of each endpoint by skipping through the index from one endpoint to the next.
    (select d.endpoint_id, d.run_at from webhook_deliveries d
     where d.worker_id is null order by d.endpoint_id, d.run_at limit 1)
    union all
    select n.endpoint_id, n.run_at from queued q
    cross join lateral (
      select d.endpoint_id, d.run_at from webhook_deliveries d
      where d.worker_id is null and d.endpoint_id > q.endpoint_id order by d.endpoint_id, d.run_at limit 1
    ) n
  ), waiting as materialized (
    select q.endpoint_id from queued q where q.run_at <= clock_now()
  ), dropped as (
    delete from webhook_deliveries d
    where d.worker_id is null and d.endpoint_id = any (array(
      select w.endpoint_id from waiting w
      where not exists (select from webhook_endpoints e where e.id = w.endpoint_id and e.is_active)))
  ), in_flight as (
    select d.endpoint_id, count(*)::integer as n from webhook_deliveries d
    where d.worker_id is not null group by d.endpoint_id
  ), receiving as (
    select e.id, case when e.consecutive_failures >= 5 then 1 else per_endpoint end - coalesce(f.n, 0) as room
    from waiting q
    join webhook_endpoints e on e.id = q.endpoint_id and e.is_active
    left join in_flight f on f.endpoint_id = e.id
  ), due as (
    select d.id, d.run_at, row_number() over (partition by r.id order by d.run_at, d.id) as turn
    from receiving r
    cross join lateral (
      select w.id, w.run_at from webhook_deliveries w
      where w.endpoint_id = r.id and w.worker_id is null and w.run_at <= clock_now()
      order by w.run_at limit greatest(r.room, 0) for update skip locked
    ) d
  ), chosen as (
    select d.id from due d order by d.turn, d.run_at limit most
  )
  update webhook_deliveries d set worker_id = claimant, claim = token
  from chosen c, webhook_messages m, webhook_endpoints e
  where d.id = c.id and m.endpoint_id = d.endpoint_id and m.id = d.id and e.id = d.endpoint_id
  returning d.id, d.endpoint_id, d.account_id, d.tries, d.tries_before_replay, m.type, m.otp_id, m.body::text, e.url,
    e.secret, case when e.previous_secret_until > clock_now() then e.previous_secret end;
end
$$;
