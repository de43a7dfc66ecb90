-- Removes up to `most` entries older than `days`. Only this function and erase_audit_entries remove entries.
create or replace function remove_old_audit_entries(days integer, most integer) returns integer
language plpgsql
as $$
declare
  removed integer;
begin
  perform set_config('sixdigit.changes_audit', 'on', true);
  delete from audit_entries where id in (
    select id from audit_entries where id < uuid_floor(clock_now() - make_interval(days => days))
    order by id limit most for update skip locked);
  get diagnostics removed = row_count;
  perform set_config('sixdigit.changes_audit', 'off', true);
  return removed;
end
$$;
