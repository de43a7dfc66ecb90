-- Adds the deltas that have not been summed to the hourly and daily counts of each account and of all accounts together (nil UUID).
--
-- most     the maximum number of delta rows
-- returns  the number of rows added; 0 if another process is running this function
-- locks    protectionSums, without waiting
create or replace function sum_protection_deltas(most integer) returns integer
language plpgsql volatile
as $$
declare
  n integer;
begin
  if not pg_try_advisory_xact_lock(7365750 /* protectionSums */) then return 0; end if;
  with due as (
    update protection_deltas d set is_summed = true
    from (select process_id, seq from protection_deltas where not is_summed order by at limit most) t
    where d.process_id = t.process_id and d.seq = t.seq
    returning d.deltas
  ), facts as (
    -- As [account, prefix, country, client, minute, is_counted (2: own codes; 4 or 8 more: to known
    -- recipients, imported or verified), sent, over, verified, recipients].
    select (e.value ->> 0)::uuid as account_id, e.value ->> 1 as prefix, e.value ->> 2 as country, e.value ->> 3 as client,
      (e.value ->> 4)::integer as minute, ((e.value ->> 5)::integer & 3 = 1)::integer as counted,
      ((e.value ->> 5)::integer & 3 <> 2)::integer as has_our_code, (e.value ->> 5)::integer < 4 as is_unknown,
      (e.value ->> 5)::integer < 8 as is_place_counted, (e.value ->> 6)::integer as sent,
      (e.value ->> 7)::integer as over, (e.value ->> 8)::integer as verified
    from due cross join lateral json_array_elements(due.deltas) as e
  ), scoped as (
    select account_id, prefix, country, client, minute, is_unknown as is_place, has_our_code as counted, sent, sent * has_our_code as tried, over, verified
      from facts
    union all
    select '00000000-0000-0000-0000-000000000000', prefix, country, client, minute, is_place_counted, counted, sent, sent * counted,
      over * counted, verified * counted from facts
  ), kinds as (
    select s.account_id, k.kind, k.key, u.unit, s.minute / u.minutes as bucket, s.sent, s.tried, s.over, s.verified
    from scoped s
    cross join lateral (values
      ('prefix', case when s.is_place then s.prefix end, false),
      ('country', case when s.is_place then s.country end, true), ('account', '', true), ('client', s.client, false),
      ('client_country', case when s.counted = 1 and s.is_place then s.client || ' ' || s.country end, false)) as k (kind, key, by_day)
    cross join lateral (values ('hour', 60), ('day', 1440)) as u (unit, minutes)
    where k.key is not null and (u.unit = 'hour' or k.by_day)
  ), added as (
    insert into protection_counts as c (account_id, kind, key, unit, bucket, sent, tried, over, verified)
    select account_id, kind, key, unit, bucket, sum(sent), sum(tried), sum(over), sum(verified) from kinds
    group by account_id, kind, key, unit, bucket
    on conflict (account_id, kind, key, unit, bucket) do update set sent = c.sent + excluded.sent,
      tried = c.tried + excluded.tried, over = c.over + excluded.over, verified = c.verified + excluded.verified
  )
  select count(*) into n from due;
  return n;
end
$$;
