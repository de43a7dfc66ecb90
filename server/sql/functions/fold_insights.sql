-- Adds waiting deltas to the counts: to five minutes, to the whole day in UTC, and to the hour over all channels, countries and
-- keys (channel `*`). The caller holds the lock `insights`, so rows never deadlock.
--
-- most     at most so many deltas
-- returns  the number of deltas that were added
create or replace function fold_insights(most integer) returns integer
language sql volatile
as $$
  with d as materialized (
    delete from insight_deltas where ctid = any (array(select ctid from insight_deltas limit most)) returning *
  ), w as materialized (
    select d.*, w.minutes, case w.minutes when 1440 then date_trunc('day', d.at, 'UTC') else d.at end as since,
      d.channel as c, d.country as co, d.api_key_id as k
    from d cross join (values (5::smallint), (1440)) w (minutes)
    union all
    select d.*, 60, date_trunc('hour', d.at, 'UTC'), '*', '', '00000000-0000-0000-0000-000000000000'::uuid from d
  ), counts as (
    insert into insight_counts as c (account_id, at, minutes, channel, country, api_key_id,
      sent, dispatched, delivered, verified, expired, failed, canceled, exhausted, superseded, credits, refunded,
      rejected, wrong_codes)
    select account_id, since, minutes, c, co, k,
      sum(sent), sum(dispatched), sum(delivered), sum(verified), sum(expired), sum(failed), sum(canceled),
      sum(exhausted), sum(superseded), sum(credits), sum(refunded), sum(rejected), sum(wrong_codes)
    from w group by 1, 2, 3, 4, 5, 6
    on conflict (account_id, minutes, at, channel, country, api_key_id) do update set
      sent = c.sent + excluded.sent, dispatched = c.dispatched + excluded.dispatched,
      delivered = c.delivered + excluded.delivered, verified = c.verified + excluded.verified,
      expired = c.expired + excluded.expired, failed = c.failed + excluded.failed,
      canceled = c.canceled + excluded.canceled, exhausted = c.exhausted + excluded.exhausted,
      superseded = c.superseded + excluded.superseded, credits = c.credits + excluded.credits,
      refunded = c.refunded + excluded.refunded, rejected = c.rejected + excluded.rejected,
      wrong_codes = c.wrong_codes + excluded.wrong_codes
  ), times as (
    insert into insight_times as t (account_id, at, minutes, channel, country, api_key_id, bucket, verified)
    select account_id, since, minutes, c, co, k, bucket, sum(sent) from w
    where bucket is not null and sent <> 0 group by 1, 2, 3, 4, 5, 6, 7
    on conflict (account_id, minutes, at, channel, country, api_key_id, bucket) do update set
      verified = t.verified + excluded.verified
  )
  select count(*)::integer from d
$$;
