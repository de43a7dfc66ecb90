-- Locks verifications in one order, before any change of them. These are not row locks, so that the statement that follows
-- reads rows that no other transaction is changing and never has to read one again: PostgreSQL 18 can crash when such a
-- second read meets partitions that are pruned during execution.
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
