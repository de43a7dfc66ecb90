-- Splits each change of several verifications into one change per verification.
--
-- changes  as for apply_changes
-- returns  one change for each verification
create or replace function single_changes(changes json) returns table (id uuid, change jsonb)
language sql stable
as $$
  select v.id, c.change - '{account_ids,ids,ips,provider_message_ids}'::text[] || to_jsonb(v)
  from jsonb_array_elements(changes::jsonb) as c (change)
  cross join lateral jsonb_to_record(c.change) as g (account_id uuid, id uuid, ip text, provider_message_id text,
    account_ids uuid[], ids uuid[], ips text[], provider_message_ids text[])
  cross join lateral unnest(coalesce(g.account_ids, array[g.account_id]), coalesce(g.ids, array[g.id]),
    coalesce(g.ips, array[g.ip]), coalesce(g.provider_message_ids, array[g.provider_message_id]))
    as v (account_id, id, ip, provider_message_id)
$$;
