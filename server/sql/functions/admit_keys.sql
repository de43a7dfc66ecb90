-- Of the previous version, for its processes during a rolling restart: admit_callers replaced it. It refuses keys
-- with limits that the previous version does not check.
--
-- Authenticates a batch of requests: finds live keys by hash and counts the requests into the current second of their keys,
-- over all processes.
--
-- hashes   the SHA-256 of the key of each request; a key may occur several times
-- returns  for each live key: its requests in this batch (asked), its requests in its current second including this batch
--          (used), and the account's defaults for a send; no row for an unknown or deleted key
-- locks    rows of key_rates, by key
create or replace function admit_keys(hashes bytea[]) returns table (
  hash bytea, api_key_id uuid, account_id uuid, name text, asked integer, used integer, second bigint,
  default_otp_length smallint, default_expiry_seconds integer, default_message text
)
language sql volatile
as $$
  with requests as (
    select r.hash, count(*)::integer as asked from unnest(hashes) as r (hash) group by r.hash
  ), live as (
    select r.hash, r.asked, k.id, k.account_id, k.name, a.default_otp_length, a.default_expiry_seconds,
      a.default_message
    from requests r
    join api_keys k on k.hash = r.hash and k.deleted_at is null
      and k.mode = 'live' and cardinality(k.scopes) = 3 and k.expires_at is null and k.allowed_networks is null
    join accounts a on a.id = k.account_id and a.deleted_at is null
  ), counted as (
    insert into key_rates as rate (api_key_id, second, used)
    select id, floor(extract(epoch from clock_now()))::bigint, asked from live order by id
    on conflict (api_key_id) do update set
      used = case when rate.second >= excluded.second then rate.used + excluded.used else excluded.used end,
      second = greatest(rate.second, excluded.second)
    returning rate.api_key_id, rate.used, rate.second
  )
  select l.hash, l.id, l.account_id, l.name, l.asked, c.used, c.second, l.default_otp_length, l.default_expiry_seconds,
    l.default_message
  from live l join counted c on c.api_key_id = l.id
$$;
