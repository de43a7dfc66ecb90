-- Makes plans due whose current message has failed, and exhausted plans of which any message has, also one outside the plan, unless one
-- was delivered.
--
-- changes  as for apply_changes, after it
-- locks    rows of plans by key
create or replace function hasten_plans(changes json) returns void
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  failed uuid[];
  of_plans uuid[];
begin
  if not exists (select from plans) then return; end if;
  select array_agg(v.id), array_agg(coalesce(v.resend_of, v.id)) into failed, of_plans
    from json_to_recordset(changes) as c (account_id uuid, id uuid, account_ids uuid[], ids uuid[], failure text)
    cross join lateral unnest(coalesce(c.account_ids, array[c.account_id]), coalesce(c.ids, array[c.id])) as i (account_id, id)
    cross join lateral (
      select v.id, v.resend_of, v.plan, v.failure, v.delivered_at from verifications v
      where v.account_id = i.account_id and v.id = i.id offset 0) v
    where c.failure is not null and (v.plan is not null or v.resend_of is not null) and v.failure is not null
      and v.delivered_at is null;
  if failed is null then return; end if;
  perform 1 from plans p where p.otp_id = any (of_plans) order by p.otp_id for update;
  update plans p set run_at = least(p.run_at, clock_now())
    where p.otp_id = any (of_plans) and not p.is_held and (p.current_id = any (failed) or json_array_length(p.rest) = 0);
end
$$;
