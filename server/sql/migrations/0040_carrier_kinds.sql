-- The code knows the kinds, so that a new one needs no migration.
alter table stored_carriers drop constraint stored_carriers_kind_check,
  add constraint stored_carriers_kind_check check (kind ~ '^[a-z0-9][a-z0-9_]*$');
