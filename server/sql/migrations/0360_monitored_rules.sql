-- The rules on destinations only monitor the accounts that an upgrade finds, so that it refuses none of their sends. Their first migration tells
-- whether this upgrade brought them: a day is longer than any. A later rule sets itself to `monitor` in its own migration in the same way.
do $$
declare
  monitored constant jsonb := '{"prefix_velocity":{"mode":"monitor"},"client_velocity":{"mode":"monitor"},'
    '"client_unverified":{"mode":"monitor"},"client_countries":{"mode":"monitor"},"prefix_conversion":{"mode":"monitor"},'
    '"country_unverified":{"mode":"monitor"}}';
  brought timestamptz := (select applied_at from schema_migrations
    where name = '0110_protection.sql' and applied_at > now() - interval '1 day');
begin
  if not exists (select from accounts where created_at < brought) then return; end if;
  insert into protection_settings (account_id, rules, updated_at)
  select id, monitored, now() from accounts where created_at < brought and deleted_at is null
  -- the rules over all accounts
  union all select '00000000-0000-0000-0000-000000000000', monitored, now()
  on conflict do nothing;
end $$;
