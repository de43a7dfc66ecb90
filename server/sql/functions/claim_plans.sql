-- Claims plans whose next step is due.
--
-- worker   the worker that claims
-- token    fences every later change of the claimed rows
-- most     the maximum number of plans
-- returns  the claimed plans
-- locks    rows of plans, skipping locked ones
create or replace function claim_plans(worker uuid, token uuid, most integer)
returns table (id uuid, account_id uuid, claim uuid)
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
begin
  return query
  update plans p set worker_id = worker, claim = token
  where p.otp_id = any (array(
    select d.otp_id from plans d where d.worker_id is null and d.run_at <= clock_now()
    order by d.run_at limit most for update skip locked))
  returning p.otp_id, p.account_id, p.claim;
end
$$;
