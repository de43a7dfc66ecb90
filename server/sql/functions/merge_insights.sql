-- Rolls five-minute rows up into hours and days. Each hour and day also has totals over all keys, over all countries, over both, and
-- over everything. A verification is counted either in five-minute rows or in rolled-up ones, never in both, so a statement that
-- reads both is exact. The caller holds the lock `insights`.
--
-- before   only five-minute rows that begin before this time
-- most     the maximum number of rows
-- returns  the number of rows rolled up
create or replace function merge_insights(before timestamptz, most integer) returns integer
language sql volatile
as $$
  with r as materialized (
    delete from insight_sums where ctid = any (array(
      select ctid from insight_sums where minutes = 5 and at < before limit most)) returning *
  ), sums as (
    insert into insight_sums as s (account_id, minutes, country, api_key_id, channel, at,
      sent, dispatched, delivered, verified, expired, failed, canceled, exhausted, superseded, credits, refunded, rejected,
      wrong_codes, own_codes, own_delivered, own_failed, times)
    select account_id, w.minutes, case when grouping(country) = 0 then country else '*' end,
      case when grouping(api_key_id) = 0 then api_key_id else '00000000-0000-0000-0000-000000000000' end,
      case when grouping(channel) = 0 then channel else '*' end, date_trunc(w.unit, at, 'UTC'),
      sum(sent), sum(dispatched), sum(delivered), sum(verified), sum(expired), sum(failed), sum(canceled), sum(exhausted),
      sum(superseded), sum(credits), sum(refunded), sum(rejected), sum(wrong_codes),
      sum(own_codes), sum(own_delivered), sum(own_failed),
      (array[
        coalesce(sum(times[1]), 0), coalesce(sum(times[2]), 0), coalesce(sum(times[3]), 0), coalesce(sum(times[4]), 0),
        coalesce(sum(times[5]), 0), coalesce(sum(times[6]), 0), coalesce(sum(times[7]), 0), coalesce(sum(times[8]), 0),
        coalesce(sum(times[9]), 0), coalesce(sum(times[10]), 0), coalesce(sum(times[11]), 0), coalesce(sum(times[12]), 0),
        coalesce(sum(times[13]), 0), coalesce(sum(times[14]), 0), coalesce(sum(times[15]), 0), coalesce(sum(times[16]), 0),
        coalesce(sum(times[17]), 0), coalesce(sum(times[18]), 0), coalesce(sum(times[19]), 0), coalesce(sum(times[20]), 0),
        coalesce(sum(times[21]), 0), coalesce(sum(times[22]), 0), coalesce(sum(times[23]), 0), coalesce(sum(times[24]), 0),
        coalesce(sum(times[25]), 0), coalesce(sum(times[26]), 0), coalesce(sum(times[27]), 0), coalesce(sum(times[28]), 0)
      ])[: max(cardinality(times))]
    from r cross join (values (60::smallint, 'hour'), (1440, 'day')) w (minutes, unit)
    group by account_id, w.minutes, date_trunc(w.unit, at, 'UTC'),
      grouping sets ((), (channel), (channel, country), (channel, api_key_id), (channel, country, api_key_id))
    on conflict (account_id, minutes, country, api_key_id, channel, at) do update set
      sent = s.sent + excluded.sent, dispatched = s.dispatched + excluded.dispatched,
      delivered = s.delivered + excluded.delivered, verified = s.verified + excluded.verified,
      expired = s.expired + excluded.expired, failed = s.failed + excluded.failed,
      canceled = s.canceled + excluded.canceled, exhausted = s.exhausted + excluded.exhausted,
      superseded = s.superseded + excluded.superseded, credits = s.credits + excluded.credits,
      refunded = s.refunded + excluded.refunded, rejected = s.rejected + excluded.rejected,
      wrong_codes = s.wrong_codes + excluded.wrong_codes, own_codes = s.own_codes + excluded.own_codes,
      own_delivered = s.own_delivered + excluded.own_delivered, own_failed = s.own_failed + excluded.own_failed,
      times = add_times(s.times, excluded.times)
  )
  select count(*)::integer from r
$$;
