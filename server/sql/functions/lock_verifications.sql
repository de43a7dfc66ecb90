-- Locks verifications in a fixed order before they are changed. Uses advisory locks instead of row locks, so that the following
-- statement never waits for a row and then re-reads its new version. PostgreSQL 18 can crash if it re-reads a row in a statement
-- that prunes partitions during execution.
--
-- ids    the verifications
-- locks  verifications by key
create or replace function lock_verifications(ids uuid[]) returns void
language plpgsql volatile
as $$
begin
  perform pg_advisory_xact_lock(k.key) from (
    select hashtextextended(i.id::text, 7 /* verification */) as key from unnest(ids) as i (id) order by 1) k;
end
$$;
