-- The places, from 1, of the recipients that their channels do not reach, as a carrier said within three days.
--
-- channels, hashes   a channel and the hash of a recipient at each place
create or replace function find_unreachable(channels text[], hashes bytea[]) returns integer[]
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  -- In PL/pgSQL, whose plan is kept: sends with a plan ask this in small batches.
  return array(
    select a.place::integer from unnest(channels, hashes) with ordinality as a (channel, recipient_hash, place)
    where exists (
      select from unreachable_recipients u
      where u.channel = a.channel and u.recipient_hash = a.recipient_hash and u.created_at > clock_now() - interval '3 days'));
end
$$;
