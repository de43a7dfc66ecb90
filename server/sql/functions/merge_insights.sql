-- Merges the five-minute rows of past hours into one row for each hour. The caller holds the lock `insights`.
--
-- before   rows of five minutes that began before this time
-- most     at most so many rows of each table
-- returns  the number of merged rows of counts
create or replace function merge_insights(before timestamptz, most integer) returns integer
language sql volatile
as $$
  with t as materialized (
    delete from insight_times where ctid = any (array(
      select ctid from insight_times where minutes = 5 and at < before limit most)) returning *
  ), times as (
    insert into insight_times as h (account_id, at, minutes, channel, country, api_key_id, bucket, verified)
    select account_id, date_trunc('hour', at, 'UTC'), 60, channel, country, api_key_id, bucket, sum(verified)
    from t group by 1, 2, 4, 5, 6, 7
    on conflict (account_id, minutes, at, channel, country, api_key_id, bucket) do update set
      verified = h.verified + excluded.verified
  ), c as materialized (
    delete from insight_counts where ctid = any (array(
      select ctid from insight_counts where minutes = 5 and at < before limit most)) returning *
  ), counts as (
    insert into insight_counts as h (account_id, at, minutes, channel, country, api_key_id,
      sent, dispatched, delivered, verified, expired, failed, canceled, exhausted, superseded, credits, refunded,
      rejected, wrong_codes)
    select account_id, date_trunc('hour', at, 'UTC'), 60, channel, country, api_key_id,
      sum(sent), sum(dispatched), sum(delivered), sum(verified), sum(expired), sum(failed), sum(canceled),
      sum(exhausted), sum(superseded), sum(credits), sum(refunded), sum(rejected), sum(wrong_codes)
    from c group by 1, 2, 4, 5, 6
    on conflict (account_id, minutes, at, channel, country, api_key_id) do update set
      sent = h.sent + excluded.sent, dispatched = h.dispatched + excluded.dispatched,
      delivered = h.delivered + excluded.delivered, verified = h.verified + excluded.verified,
      expired = h.expired + excluded.expired, failed = h.failed + excluded.failed,
      canceled = h.canceled + excluded.canceled, exhausted = h.exhausted + excluded.exhausted,
      superseded = h.superseded + excluded.superseded, credits = h.credits + excluded.credits,
      refunded = h.refunded + excluded.refunded, rejected = h.rejected + excluded.rejected,
      wrong_codes = h.wrong_codes + excluded.wrong_codes
  )
  select count(*)::integer from c
$$;
