-- Removes up to `most` of a deleted account's entries. The entry about the deletion stays, because it contains no personal data.
create or replace function erase_audit_entries(account uuid, most integer) returns integer
language plpgsql
as $$
declare
  removed integer;
begin
  perform set_config('sixdigit.changes_audit', 'on', true);
  delete from audit_entries where id in (
    select e.id from audit_entries e join accounts a on a.id = e.account_id and a.deleted_at is not null
    where e.account_id = account and e.action <> 'account.delete' limit most);
  get diagnostics removed = row_count;
  perform set_config('sixdigit.changes_audit', 'off', true);
  return removed;
end
$$;
