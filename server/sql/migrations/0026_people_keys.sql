-- What belongs to a person refers to people. Until account_id goes, the primary keys stay on it: with a second unique index, an
-- insert that meets a concurrent one can fail instead of waiting for it. The addresses of accounts that a person has besides their first repeat.
alter table accounts drop constraint accounts_email_key;
create unique index accounts_email_key on accounts (email) where username is not null;

alter table sessions drop constraint sessions_account_id_fkey, alter column person_id set not null,
  add constraint sessions_person_id_fkey foreign key (person_id) references people;
create index sessions_of_person on sessions (person_id, id);

alter table challenges drop constraint challenges_account_id_fkey,
  add constraint challenges_person_id_fkey foreign key (person_id) references people;
create index challenges_of_person on challenges (person_id) where person_id is not null;

alter table code_entries drop constraint code_entries_account_id_fkey, alter column person_id set not null,
  add constraint code_entries_person_id_fkey foreign key (person_id) references people;
create index code_entries_of_person on code_entries (person_id);

alter table account_networks drop constraint account_networks_account_id_fkey, alter column person_id set not null,
  add constraint account_networks_person_id_fkey foreign key (person_id) references people;
create index account_networks_of_person on account_networks (person_id, network);

alter table account_devices drop constraint account_devices_account_id_fkey, alter column person_id set not null,
  add constraint account_devices_person_id_fkey foreign key (person_id) references people;
create index account_devices_of_person on account_devices (person_id, device_hash);

alter table reset_links drop constraint reset_links_account_id_fkey,
  add constraint reset_links_person_id_fkey foreign key (person_id) references people;
create index reset_links_of_person on reset_links (person_id) where person_id is not null;

alter table authenticators drop constraint authenticators_account_id_fkey, alter column person_id set not null,
  add constraint authenticators_person_id_fkey foreign key (person_id) references people;
create index authenticators_of_person on authenticators (person_id);

alter table recovery_codes drop constraint recovery_codes_account_id_fkey, alter column person_id set not null,
  add constraint recovery_codes_person_id_fkey foreign key (person_id) references people;
create index recovery_codes_of_person on recovery_codes (person_id, hash);

alter table passkeys drop constraint passkeys_account_id_fkey, alter column person_id set not null,
  add constraint passkeys_person_id_fkey foreign key (person_id) references people;
create index passkeys_of_person on passkeys (person_id, id);

alter table passkey_challenges drop constraint passkey_challenges_account_id_fkey,
  add constraint passkey_challenges_person_id_fkey foreign key (person_id) references people;
create index passkey_challenges_of_person on passkey_challenges (person_id) where person_id is not null;

alter table operators drop constraint operators_account_id_fkey, alter column person_id set not null,
  add constraint operators_person_id_fkey foreign key (person_id) references people;
create index operators_of_person on operators (person_id);

-- Operators are people.
alter table operator_keys drop constraint operator_keys_operator_id_fkey,
  add constraint operator_keys_operator_id_fkey foreign key (operator_id) references people;
alter table operator_actions drop constraint operator_actions_operator_id_fkey,
  add constraint operator_actions_operator_id_fkey foreign key (operator_id) references people;
alter table announcements drop constraint announcements_operator_id_fkey,
  add constraint announcements_operator_id_fkey foreign key (operator_id) references people;
alter table recipient_erasures drop constraint recipient_erasures_requested_by_fkey,
  add constraint recipient_erasures_requested_by_fkey foreign key (requested_by) references people;
alter table setting_changes drop constraint setting_changes_operator_id_fkey,
  add constraint setting_changes_operator_id_fkey foreign key (operator_id) references people;
alter table stored_carriers drop constraint stored_carriers_changed_by_fkey,
  add constraint stored_carriers_changed_by_fkey foreign key (changed_by) references people;
