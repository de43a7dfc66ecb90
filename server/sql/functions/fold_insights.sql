-- Adds waiting deltas to the counts. The caller holds the lock `insights`, so rows never deadlock.
--
-- most     at most so many deltas
-- returns  the number of deltas that were added
create or replace function fold_insights(most integer) returns integer
language sql volatile
as $$
  with d as materialized (
    delete from insight_deltas where ctid = any (array(select ctid from insight_deltas limit most)) returning *
  ), counts as (
    insert into insight_counts as c
    select account_id, at, 5, channel, country, api_key_id, sum(sent), sum(dispatched), sum(delivered), sum(verified),
      sum(expired), sum(failed), sum(canceled), sum(exhausted), sum(superseded), sum(credits), sum(refunded)
    from d group by 1, 2, 4, 5, 6
    on conflict (account_id, at, minutes, channel, country, api_key_id) do update set
      sent = c.sent + excluded.sent, dispatched = c.dispatched + excluded.dispatched,
      delivered = c.delivered + excluded.delivered, verified = c.verified + excluded.verified,
      expired = c.expired + excluded.expired, failed = c.failed + excluded.failed,
      canceled = c.canceled + excluded.canceled, exhausted = c.exhausted + excluded.exhausted, superseded = c.superseded + excluded.superseded,
      credits = c.credits + excluded.credits, refunded = c.refunded + excluded.refunded
  ), times as (
    insert into insight_times as t
    select account_id, at, 5, channel, country, api_key_id, bucket, sum(sent) from d
    where bucket is not null group by 1, 2, 4, 5, 6, 7
    on conflict (account_id, at, minutes, channel, country, api_key_id, bucket) do update set
      verified = t.verified + excluded.verified
  )
  select count(*)::integer from d
$$;
