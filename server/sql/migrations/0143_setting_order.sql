-- The order in which changes were committed. The clocks of two processes differ, so their ids do not tell it. Existing rows get
-- the order in which they were inserted.
alter table setting_changes add column position bigint generated always as identity;
create unique index setting_changes_by_position on setting_changes (position);
drop index setting_changes_by_name;
create index setting_changes_by_name on setting_changes (name, position);
