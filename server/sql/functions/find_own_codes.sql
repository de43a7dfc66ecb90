-- The open verifications with own codes of recipients that lock_sends has locked.
--
-- items    [{account_id, recipient (with the prefix "own:" of the row of own codes)}]
-- returns  once for each item [{account_id, recipient (as in items), id, code_hmac, channel, status, expires_ms, segments, cost_credits, language}], or null
-- locks    none; the caller holds the recipients' locks
create or replace function find_own_codes(items json) returns json
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  account_ids uuid[];
  recipients text[];
  -- sorted
  ids uuid[];
  -- With these bounds in variables, PostgreSQL prunes the partitions of other months before it opens them.
  least_id uuid;
  greatest_id uuid;
  found json;
begin
  select array_agg(o.account_id), array_agg(o.recipient), array_agg(o.id)
    into account_ids, recipients, ids from (
      select r.account_id, r.recipient, o.id
      from json_to_recordset(items) as i (account_id uuid, recipient text)
      cross join lateral (
        select * from recipients r where r.account_id = i.account_id and r.recipient = i.recipient
          and r.open_until > clock_now() offset 0) r
      cross join lateral unnest(r.open_ids) as o (id)
      order by o.id) o;
  if ids is null then return null; end if;
  least_id := ids[1];
  greatest_id := ids[cardinality(ids)];
  select json_agg(row) into found from (
    select o.account_id, o.recipient, v.id, v.code_hmac, v.channel, v.status,
      floor(extract(epoch from v.expires_at) * 1000)::bigint as expires_ms, v.segments, v.cost_credits, v.language
    from unnest(account_ids, recipients, ids) as o (account_id, recipient, id)
    cross join lateral (
      select * from verifications v where v.account_id = o.account_id and v.id = o.id
        and v.id between least_id and greatest_id offset 0) v
    where v.code_hmac is not null and v.expires_at > clock_now() and v.status in ('pending', 'sent')) as row;
  return found;
end
$$;
