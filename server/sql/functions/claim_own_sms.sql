-- Counts one of the dashboard's texts under every limit that applies to it. If a limit that is not silent is exhausted, the caller
-- rolls back. If a silent limit is exhausted, the remaining silent limits are not counted, because the text is dropped.
--
-- claims   [{rank, name, key (hex), most, seconds, item (hex)?, is_silent}]
-- returns  the exhausted limits
-- locks    rows of own_sms by rank, then by key
create or replace function claim_own_sms(claims json)
returns table (name text, is_silent boolean, wait_seconds integer)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  claim record;
  stored record;
  live_times timestamptz[];
  live_items bytea[];
  is_dropped boolean := false;
begin
  for claim in
    select c.rank, c.name, decode(c.key, 'hex') as key, c.most, c.seconds, decode(c.item, 'hex') as item, c.is_silent
    from json_to_recordset(claims) as c (rank integer, name text, key text, most integer, seconds integer, item text,
      is_silent boolean)
    order by c.rank, c.key
  loop
    if claim.is_silent and is_dropped then
      continue;
    end if;
    insert into own_sms as o (key, until) values (claim.key, clock_now())
      on conflict (key) do update set until = o.until
      returning o.times, o.items into stored;
    select coalesce(array_agg(u.at), '{}'), coalesce(array_agg(u.item), '{}')
      into live_times, live_items
      from unnest(stored.times, stored.items) as u (at, item)
      where u.at > clock_now() - make_interval(secs => claim.seconds);
    if claim.item = any (live_items) then
      continue;
    end if;
    if cardinality(live_times) >= claim.most then
      return query select claim.name, claim.is_silent, greatest(1, ceil(extract(epoch from
        live_times[cardinality(live_times) - claim.most + 1] - clock_now()) + claim.seconds))::integer;
      if claim.is_silent then
        is_dropped := true;
        continue;
      end if;
      return;
    end if;
    update own_sms o set times = live_times || clock_now(), items = live_items || claim.item,
        until = clock_now() + make_interval(secs => claim.seconds)
      where o.key = claim.key;
  end loop;
end
$$;
