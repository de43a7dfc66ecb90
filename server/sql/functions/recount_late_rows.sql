-- Trigger on the tables with daily counts. A process that was cut off from the database, or whose clock is slow, writes rows late.
-- A late row for a counted day drops the counts from that day on, and the job counts these days again.
--
-- arguments  the lists that count the table
-- locks      dailyCounts, shared, for a late row, so that the job counts no day until the row's transaction has ended
create or replace function recount_late_rows() returns trigger
language plpgsql
as $$
declare
  -- Younger rows need no check: the job counts a day two hours after its end, and no transaction takes an hour.
  late_below uuid := uuid_floor(clock_now() - interval '1 hour');
  first_day date;
  lists text[];
begin
  select day_of(id) into first_day from new_rows where id < late_below order by id limit 1;
  if first_day is null then
    return null;
  end if;
  lists := tg_argv[0 :] || array(select 'all_' || list from unnest(tg_argv[0 :]) list);
  perform pg_advisory_xact_lock_shared(7365731 /* dailyCounts */);
  perform from counted_days where list = any (lists) order by list for update;
  with reopened as (
    update counted_days set until_day = first_day
    where list = any (lists) and from_day <= first_day and until_day > first_day
    returning list
  )
  delete from daily_counts d using reopened r where d.list = r.list and d.day >= first_day;
  return null;
end
$$;
create or replace trigger verifications_are_recounted after insert on verifications
  referencing new table as new_rows for each statement execute function recount_late_rows('verifications', 'routes', 'prefix_costs');
create or replace trigger requests_are_recounted after insert on request_logs
  referencing new table as new_rows for each statement execute function recount_late_rows('requests');
