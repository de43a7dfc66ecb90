-- Authenticates a batch of requests: finds live keys by the hash of their current secret, or of their previous secret while it is
-- still valid, and adds the requests to each key's count for the current second, across all processes.
--
-- hashes   the SHA-256 of each key in the batch, without duplicates
-- times    how many requests each key has
-- known    for each key: the version of its caller that the process has cached, or null
-- returns  for each live secret: its requests in this batch (asked), the requests of its key in the current second up to the
--          last of them (used), and the version of the caller with the account's defaults for a send, followed by the caller itself
--          unless the process has that version; no row for an unknown or deleted key. Because the caller is JSON, it can gain
--          fields without a new version of this function.
-- locks    rows of key_rates, by key
create or replace function admit_requests(hashes bytea[], times integer[], known text[])
returns table (hash bytea, asked integer, used integer, version text, caller json)
language plpgsql volatile
set plan_cache_mode = force_generic_plan
-- Forces a hash join for the counts, because a nested loop would read all keys for each key. Every other join is lateral.
set enable_seqscan = off set enable_nestloop = off set enable_mergejoin = off set enable_hashjoin = on
-- Before PostgreSQL 18, the planner still plans a nested loop here, at a cost so high that JIT would compile every call.
set jit = off
as $$
#variable_conflict use_column
declare
  -- Transaction ids are unique only within one server: after a failover, the new primary may reuse them.
  server numeric := extract(epoch from pg_postmaster_start_time());
begin
  -- In PL/pgSQL, because servers before PostgreSQL 18 plan an SQL function's statements at every call.
  return query
  with live as materialized (
    -- Serializing a caller costs as much as the rest of the function, so an unchanged caller is not serialized again. Its version
    -- consists of the transactions that last changed its rows (a hash of its texts could be made to collide) and its expiry.
    select r.hash, r.times, k.id, k.is_retired, c.version,
      case when c.version is distinct from r.known then row_to_json(c) end as caller
    from unnest(hashes, times, known) as r (hash, times, known)
    cross join lateral (
      select k.*, k.xmin, false as is_retired from api_keys k where k.hash = r.hash
      union all
      select k.*, k.xmin, true from api_keys k where k.retired_hash = r.hash and k.retired_until > clock_now()
      offset 0
    ) k
    cross join lateral (
      select k.account_id,
        k.id as api_key_id,
        k.name as api_key_name,
        k.is_retired as uses_retired_secret,
        k.mode = 'test' as is_test,
        k.scopes,
        coalesce(k.expires_at <= clock_now(), false) as is_expired,
        k.allowed_networks,
        a.suspended_at is not null as is_suspended,
        a.default_otp_length,
        a.default_expiry_seconds,
        a.default_message,
        a.default_subject,
        a.default_language,
        a.language_by_country,
        a.sender_name,
        a.reply_to_email,
        k.require_proof,
        concat_ws('.', server, k.xmin, a.xmin, k.is_retired, k.expires_at <= clock_now()) as version
      from accounts a where a.id = k.account_id and a.deleted_at is null offset 0
    ) c
    where k.deleted_at is null
  ), counted as (
    insert into key_rates as rate (api_key_id, second, used)
    select id, floor(extract(epoch from clock_now()))::bigint, sum(times) from live group by id order by id
    on conflict (api_key_id) do update set
      used = case when rate.second >= excluded.second then rate.used + excluded.used else excluded.used end,
      second = greatest(rate.second, excluded.second)
    returning rate.api_key_id, rate.used
  )
  select l.hash, l.times,
    -- The requests of the retired secret are counted before those of the current one.
    c.used - case when l.is_retired then
      coalesce((select o.times from live o where o.id = l.id and not o.is_retired), 0) else 0 end,
    l.version, l.caller
  from counted c join live l on l.id = c.api_key_id;
end
$$;
