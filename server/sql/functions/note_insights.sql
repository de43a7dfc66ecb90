-- Trigger of verifications: notes what a statement changed as deltas, in the transaction of the change. A delta is the sum over
-- the new rows minus the sum over the old ones, so that counts always equal the rows, whichever statement wrote them.
--
-- Tests do not count.
--
-- locks    none: deltas are only inserted
create or replace function note_insights() returns trigger
language plpgsql
set plan_cache_mode = force_generic_plan
as $$
begin
  if tg_op = 'INSERT' then
    -- One delta for each row: to group them costs more than it spares, because the rate limit leaves a key few sends per batch.
    insert into insight_deltas
    select account_id, date_bin('5 minutes', created_at, 'epoch'), channel, coalesce(country, ''), api_key_id,
      case when verified_at is not null then seconds_bucket(extract(epoch from verified_at - created_at)) end,
      1, num_nonnulls(sent_at), num_nonnulls(delivered_at),
      (status = 'verified')::integer, (status = 'expired')::integer, (status = 'failed')::integer,
      coalesce((closed_by = 'canceled')::integer, 0), coalesce((closed_by = 'attempts')::integer, 0),
      coalesce((closed_by = 'superseded')::integer, 0),
      cost_credits, 0, (status = 'failed' and sent_at is null and closed_by is null)::integer, 0
    from new_rows where not is_test;
  else
    insert into insight_deltas
    select account_id, date_bin('5 minutes', created_at, 'epoch'), channel, coalesce(country, ''), api_key_id,
      case when verified_at is not null then seconds_bucket(extract(epoch from verified_at - created_at)) end,
      sum(n), coalesce(sum(n) filter (where sent_at is not null), 0),
      coalesce(sum(n) filter (where delivered_at is not null), 0),
      coalesce(sum(n) filter (where status = 'verified'), 0), coalesce(sum(n) filter (where status = 'expired'), 0),
      coalesce(sum(n) filter (where status = 'failed'), 0),
      coalesce(sum(n) filter (where closed_by = 'canceled'), 0),
      coalesce(sum(n) filter (where closed_by = 'attempts'), 0),
      coalesce(sum(n) filter (where closed_by = 'superseded'), 0),
      sum(n * cost_credits), -sum(n * cost_credits),
      coalesce(sum(n) filter (where status = 'failed' and sent_at is null and closed_by is null), 0), 0
    from (
      select 1 as n, account_id, created_at, channel, country, api_key_id, sent_at, delivered_at, verified_at, status,
        closed_by, cost_credits from new_rows where not is_test
      union all
      select -1, account_id, created_at, channel, country, api_key_id, sent_at, delivered_at, verified_at, status,
        closed_by, cost_credits from old_rows where not is_test
    ) v
    group by 1, 2, 3, 4, 5, 6
    having sum(n) <> 0 or sum(n) filter (where sent_at is not null) <> 0
      or sum(n) filter (where delivered_at is not null) <> 0 or sum(n * cost_credits) <> 0
      or sum(n) filter (where status = 'verified') <> 0 or sum(n) filter (where status = 'expired') <> 0
      or sum(n) filter (where status = 'failed') <> 0 or sum(n) filter (where closed_by is not null) <> 0;
  end if;
  return null;
end
$$;
create or replace trigger insights_of_new after insert on verifications
  referencing new table as new_rows for each statement execute function note_insights();
create or replace trigger insights_of_changed after update on verifications
  referencing old table as old_rows new table as new_rows for each statement execute function note_insights();
