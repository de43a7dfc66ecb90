-- Authenticates a batch of requests: finds live keys by hash and counts the requests into the current second of their keys,
-- over all processes.
--
-- hashes   the SHA-256 of the key of each request; a key may occur several times
-- returns  for each live key: its requests in this batch (asked), its requests in its current second including this batch
--          (used), and the caller with the account's defaults for a send; no row for an unknown or deleted key. A JSON caller
--          can get more fields without a new function.
-- locks    rows of key_rates, by key
create or replace function admit_callers(hashes bytea[]) returns table (hash bytea, asked integer, used integer, caller json)
language sql volatile
as $$
  with requests as (
    select r.hash, count(*)::integer as asked from unnest(hashes) as r (hash) group by r.hash
  ), live as (
    select r.hash, r.asked, k.id, json_build_object(
        'account_id', k.account_id,
        'api_key_id', k.id,
        'api_key_name', k.name,
        'is_suspended', a.suspended_at is not null,
        'default_otp_length', a.default_otp_length,
        'default_expiry_seconds', a.default_expiry_seconds,
        'default_message', a.default_message) as caller
    from requests r
    join api_keys k on k.hash = r.hash and k.deleted_at is null
    join accounts a on a.id = k.account_id and a.deleted_at is null
  ), counted as (
    insert into key_rates as rate (api_key_id, second, used)
    select id, floor(extract(epoch from clock_now()))::bigint, asked from live order by id
    on conflict (api_key_id) do update set
      used = case when rate.second >= excluded.second then rate.used + excluded.used else excluded.used end,
      second = greatest(rate.second, excluded.second)
    returning rate.api_key_id, rate.used
  )
  select l.hash, l.asked, c.used, l.caller from live l join counted c on c.api_key_id = l.id
$$;
