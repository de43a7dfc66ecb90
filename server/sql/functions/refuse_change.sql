-- Trigger: refuses changes to append-only tables. If the trigger has an argument, a function may change rows after it turns on the
-- setting of that name.
create or replace function refuse_change() returns trigger
language plpgsql
as $$
begin
  if tg_nargs > 0 and current_setting(tg_argv[0], true) = 'on' then
    return null;
  end if;
  raise exception 'rows of % are never changed or removed', tg_table_name using errcode = 'restrict_violation';
end
$$;

create or replace trigger ledger_is_append_only before update or delete or truncate on ledger
  for each statement execute function refuse_change();

create or replace trigger operator_actions_are_append_only before update or delete or truncate on operator_actions
  for each statement execute function refuse_change();

create or replace trigger setting_changes_are_append_only before update or delete or truncate on setting_changes
  for each statement execute function refuse_change();

create or replace trigger audit_entries_are_append_only before update or delete or truncate on audit_entries
  for each statement execute function refuse_change('sixdigit.changes_audit');
