-- Removes sealed codes that can no longer be sent.
--
-- most     the maximum number of codes
-- returns  the number of codes removed
-- locks    rows of recipients, skipping locked ones
create or replace function wipe_codes(most integer) returns integer
language sql volatile
as $$
  with stale as (
    select account_id, recipient from recipients
    where code_sealed is not null and code_until <= clock_now() limit most for update skip locked
  ), wiped as (
    update recipients r set code_sealed = null, code_hmac = null from stale s
    where r.account_id = s.account_id and r.recipient = s.recipient returning 1
  )
  select count(*)::integer from wiped
$$;
