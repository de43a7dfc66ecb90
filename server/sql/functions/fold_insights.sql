-- Adds pending deltas to the five-minute sums. The caller holds the lock `insights`, so concurrent calls cannot deadlock.
--
-- most     the maximum number of deltas
-- returns  the number of deltas added
create or replace function fold_insights(most integer) returns integer
language sql volatile
as $$
  with d as materialized (
    delete from insight_deltas where ctid = any (array(select ctid from insight_deltas limit most)) returning *
  ), sums as (
    insert into insight_sums as s (account_id, minutes, country, api_key_id, channel, at,
      sent, dispatched, delivered, verified, expired, failed, canceled, exhausted, superseded, credits, refunded, rejected,
      wrong_codes, own_codes, own_delivered, own_failed, times)
    select account_id, 5, country, api_key_id, channel, at,
      sum(sent), sum(dispatched), sum(delivered), sum(verified), sum(expired), sum(failed), sum(canceled), sum(exhausted),
      sum(superseded), sum(credits), sum(refunded), sum(rejected), sum(wrong_codes),
      sum(own_codes), sum(own_delivered), sum(own_failed),
      (array[
        coalesce(sum(verified) filter (where bucket = 0), 0), coalesce(sum(verified) filter (where bucket = 1), 0),
        coalesce(sum(verified) filter (where bucket = 2), 0), coalesce(sum(verified) filter (where bucket = 3), 0),
        coalesce(sum(verified) filter (where bucket = 4), 0), coalesce(sum(verified) filter (where bucket = 5), 0),
        coalesce(sum(verified) filter (where bucket = 6), 0), coalesce(sum(verified) filter (where bucket = 7), 0),
        coalesce(sum(verified) filter (where bucket = 8), 0), coalesce(sum(verified) filter (where bucket = 9), 0),
        coalesce(sum(verified) filter (where bucket = 10), 0), coalesce(sum(verified) filter (where bucket = 11), 0),
        coalesce(sum(verified) filter (where bucket = 12), 0), coalesce(sum(verified) filter (where bucket = 13), 0),
        coalesce(sum(verified) filter (where bucket = 14), 0), coalesce(sum(verified) filter (where bucket = 15), 0),
        coalesce(sum(verified) filter (where bucket = 16), 0), coalesce(sum(verified) filter (where bucket = 17), 0),
        coalesce(sum(verified) filter (where bucket = 18), 0), coalesce(sum(verified) filter (where bucket = 19), 0),
        coalesce(sum(verified) filter (where bucket = 20), 0), coalesce(sum(verified) filter (where bucket = 21), 0),
        coalesce(sum(verified) filter (where bucket = 22), 0), coalesce(sum(verified) filter (where bucket = 23), 0),
        coalesce(sum(verified) filter (where bucket = 24), 0), coalesce(sum(verified) filter (where bucket = 25), 0),
        coalesce(sum(verified) filter (where bucket = 26), 0), coalesce(sum(verified) filter (where bucket = 27), 0)
      ])[: max(bucket) filter (where verified <> 0) + 1]
    from d group by account_id, country, api_key_id, channel, at
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
  select count(*)::integer from d
$$;
