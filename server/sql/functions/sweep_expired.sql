-- Ends verifications that have expired, for the previous version: see end_expired.
--
-- most     the largest number of verifications
-- returns  how many it looked at; 0 if another process is at it
-- locks    as end_expired
create or replace function sweep_expired(most integer) returns integer
language sql volatile
as $$
  select (end_expired(most) ->> 'looked_at')::integer
$$;
