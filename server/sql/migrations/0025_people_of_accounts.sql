-- Every account that exists becomes a person and its owner. The triggers of the file before repeat what processes of the release
-- before change meanwhile, so a row that is there already is newer than the one read here.
insert into people (id, email, username, password_hash, first_name, last_name, phone_number, phone_verified_at,
  two_factor_enabled, two_factor_method, two_factor_phone, created_at, deleted_at, time_zone)
select id, email, username, password_hash, first_name, last_name, phone_number, phone_verified_at,
  two_factor_enabled, two_factor_method, two_factor_phone, created_at, deleted_at, time_zone
from accounts
on conflict do nothing;

insert into memberships (account_id, person_id, role, joined_at)
select id, id, 'owner', created_at from accounts where deleted_at is null
on conflict do nothing;

update sessions set person_id = account_id where person_id is null;
update challenges set person_id = account_id where person_id is null and account_id is not null;
update code_entries set person_id = account_id where person_id is null;
update account_networks set person_id = account_id where person_id is null;
update account_devices set person_id = account_id where person_id is null;
update reset_links set person_id = account_id where person_id is null and account_id is not null;
update authenticators set person_id = account_id where person_id is null;
update recovery_codes set person_id = account_id where person_id is null;
update passkeys set person_id = account_id where person_id is null;
update passkey_challenges set person_id = account_id where person_id is null and account_id is not null;
update operators set person_id = account_id where person_id is null;
