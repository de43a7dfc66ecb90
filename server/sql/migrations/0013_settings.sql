-- Settings that operators changed, with their history. The newest row of a name counts; null restores the default. Append-only.
create table setting_changes (
  id uuid primary key,
  name text not null,
  value jsonb,
  created_at timestamptz not null,
  operator_id uuid references accounts,
  -- The order in which changes were committed. The clocks of two processes differ, so their ids do not tell it.
  position bigint generated always as identity
);
create unique index setting_changes_by_position on setting_changes (position);
create index setting_changes_by_name on setting_changes (name, position);
