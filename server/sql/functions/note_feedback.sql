-- Queues feedback about right codes, if the carrier of their message gives it: of all messages with the code, the one that was reported
-- as delivered, or else the last one.
--
-- codes     [{account_id, id, sealed (the code)?}]
-- carriers  [{name, channel, needs_code}]
-- returns   the number of rows
create or replace function note_feedback(codes json, carriers json) returns integer
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  -- With these bounds in variables, PostgreSQL prunes the partitions of other months before it opens them. Resends are younger.
  least_id uuid;
  greatest_id uuid;
  noted integer;
begin
  select (array_agg(c.id order by c.id))[1], (array_agg(c.id order by c.id desc))[1] into least_id, greatest_id
    from json_to_recordset(codes) as c (id uuid);
  insert into feedback (otp_id, account_id, message_id, sealed, created_at, run_at)
    select c.id, c.account_id, m.id, case when k.needs_code then c.sealed end, clock_now(), clock_now()
    from json_to_recordset(codes) as c (account_id uuid, id uuid, sealed bytea)
    cross join lateral (
      select m.id, m.carrier, m.channel, m.provider_message_id
      from verifications v
      cross join lateral unnest(v.id || coalesce(v.resend_ids, '{}')) as r (id)
      cross join lateral (
        select * from verifications m
        where m.account_id = c.account_id and m.id = r.id and m.id >= least_id offset 0) m
      where v.account_id = c.account_id and v.id = c.id and v.id between least_id and greatest_id
        and m.sent_at is not null
      order by m.delivered_at is null, m.sent_at desc limit 1) m
    join json_to_recordset(carriers) as k (name text, channel text, needs_code boolean)
      on k.name = m.carrier and k.channel = m.channel
    where m.provider_message_id is not null
    on conflict (otp_id) do nothing;
  get diagnostics noted = row_count;
  return noted;
end
$$;
