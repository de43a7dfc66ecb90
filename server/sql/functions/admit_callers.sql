-- Of the previous version, for its processes during a rolling restart: admit_requests replaced it.
--
-- Authenticates a batch of requests: finds live keys by the hash of their secret, or of the secret before their last rotation
-- while that is valid, and counts the requests into the current second of their keys, over all processes.
--
-- hashes   the SHA-256 of the key of each request; a key may occur several times
-- returns  for each live secret: its requests in this batch (asked), the requests of its key in the current second up to the
--          last of them (used), and the caller with the account's defaults for a send; no row for an unknown or deleted key. A
--          JSON caller can get more fields without a new function.
-- locks    rows of key_rates, by key
create or replace function admit_callers(hashes bytea[]) returns table (hash bytea, asked integer, used integer, caller json)
language sql volatile
as $$
  with requests as (
    select r.hash, count(*)::integer as asked from unnest(hashes) as r (hash) group by r.hash
  ), live as (
    select r.hash, r.asked, k.id, k.is_retired, json_build_object(
        'account_id', k.account_id,
        'api_key_id', k.id,
        'api_key_name', k.name,
        'uses_retired_secret', k.is_retired,
        'is_test', k.mode = 'test',
        'scopes', k.scopes,
        'is_expired', coalesce(k.expires_at <= clock_now(), false),
        'allowed_networks', k.allowed_networks,
        'is_suspended', a.suspended_at is not null,
        'default_otp_length', a.default_otp_length,
        'default_expiry_seconds', a.default_expiry_seconds,
        'default_message', a.default_message,
        'default_subject', a.default_subject,
        'sender_name', a.sender_name,
        'reply_to_email', a.reply_to_email) as caller
    from requests r
    cross join lateral (
      select k.*, false as is_retired from api_keys k where k.hash = r.hash
      union all
      select k.*, true from api_keys k where k.retired_hash = r.hash and k.retired_until > clock_now()
    ) k
    join accounts a on a.id = k.account_id and a.deleted_at is null
    where k.deleted_at is null
  ), counted as (
    insert into key_rates as rate (api_key_id, second, used)
    select id, floor(extract(epoch from clock_now()))::bigint, sum(asked) from live group by id order by id
    on conflict (api_key_id) do update set
      used = case when rate.second >= excluded.second then rate.used + excluded.used else excluded.used end,
      second = greatest(rate.second, excluded.second)
    returning rate.api_key_id, rate.used
  )
  -- The requests of the retired secret are counted before those of the current one.
  select l.hash, l.asked,
    (c.used - coalesce(sum(l.asked) over (
      partition by l.id order by l.is_retired desc rows between 1 following and unbounded following), 0))::integer,
    l.caller
  from live l join counted c on c.api_key_id = l.id
$$;
