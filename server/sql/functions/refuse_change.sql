-- Refuses changes of the ledger and of the operators' audit, which are append-only.
create or replace function refuse_change() returns trigger
language plpgsql
as $$
begin
  raise exception 'rows of % are never changed or removed', tg_table_name using errcode = 'restrict_violation';
end
$$;

create or replace trigger ledger_is_append_only before update or delete or truncate on ledger
  for each statement execute function refuse_change();

create or replace trigger operator_actions_are_append_only before update or delete or truncate on operator_actions
  for each statement execute function refuse_change();

create or replace trigger setting_changes_are_append_only before update or delete or truncate on setting_changes
  for each statement execute function refuse_change();
