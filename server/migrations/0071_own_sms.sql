-- Texts that the dashboard sent: when, by what a limit counts. Logged, so that a crash forgives nothing. A key is a keyed hash;
-- no row holds a number or an address.
create table own_sms (
  key bytea primary key,
  -- when a text was counted, within the limit's window, oldest first
  times timestamptz[] not null default '{}',
  -- beside each time: what was counted, where a limit counts different things instead of texts
  items bytea[] not null default '{}',
  -- the row is of no use after this
  until timestamptz not null
) with (fillfactor = 50);
create index own_sms_by_end on own_sms (until);

-- Counts one text under every claim. Answers the claims that are used up. The caller rolls back where one of them is not
-- silent. After a silent one is used up, no other silent one is counted: the text is dropped. Rows are locked by `rank`, then by key, so that callers cannot deadlock.
create function claim_own_sms(claims json)
returns table (name text, is_silent boolean, wait_seconds integer) language plpgsql volatile as $$
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
    select coalesce(array_agg(u.at order by u.at), '{}'), coalesce(array_agg(u.item order by u.at), '{}')
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
end $$;
