-- Deletes the plans of verifications whose code can no longer verify, and with them the sealed codes.
--
-- ids      verifications, with or without a plan
-- locks    rows of plans by key
create or replace function end_plans(ids uuid[]) returns void
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  if not exists (select from plans) then return; end if;
  -- Locked first, so that the next statement waits for no row, see lock_verifications.
  perform 1 from plans p where p.otp_id = any (ids) order by p.otp_id for update;
  delete from plans p where p.otp_id = any (ids) and (
    select v.code_hmac from verifications v where v.account_id = p.account_id and v.id = p.otp_id) is null;
end
$$;
