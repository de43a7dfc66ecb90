-- A person signs in. An account is what people share: credits, keys, settings and data. A person who signed up has the id of the
-- account that the sign-up made.
create table people (
  id uuid primary key,
  -- null once erased
  email text unique,
  username text unique,
  password_hash text,
  first_name text not null default '',
  last_name text not null default '',
  -- E.164, or empty
  phone_number text not null default '',
  phone_verified_at timestamptz,
  two_factor_enabled boolean not null default false,
  two_factor_method text not null default 'email' check (two_factor_method in ('sms', 'email')),
  -- the proven number that gets SMS codes; a new number in the profile replaces it once that is proven too
  two_factor_phone text not null default '',
  created_at timestamptz not null,
  deleted_at timestamptz,
  -- IANA time zone in which the dashboard shows times; null: the browser's
  time_zone text,
  -- what operators search, like accounts.search_text
  search_text text not null generated always as (
    lower(coalesce(email, '') || ' ' || coalesce(username, '') || ' ' || first_name || ' ' || last_name)
  ) stored
);
create index people_by_phone on people (phone_number);
do $$ begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index people_by_text on people using gin (search_text gin_trgm_ops);
  end if;
end $$;

-- Who may open which account, and what they may do there. A row is deleted when its person leaves or is removed.
create table memberships (
  account_id uuid not null references accounts,
  person_id uuid not null references people,
  role text not null check (role in ('owner', 'admin', 'developer', 'support', 'viewer')),
  -- null: founded the account, or joined by single sign-on
  invited_by uuid,
  joined_at timestamptz not null,
  last_seen_at timestamptz,
  primary key (account_id, person_id)
);
create index memberships_of_person on memberships (person_id, joined_at);

alter table accounts
  -- what its members call it; empty: the address of its owner
  add column name text not null default '',
  -- the account in the addresses of the dashboard; null until one of its members has a second account
  add column slug text unique;

-- Who made it. Null: made before accounts had members.
alter table api_keys add column created_by uuid;
alter table audit_entries add column person_id uuid;
alter table notices add column person_id uuid;
create index notices_of_person on notices (person_id) where person_id is not null;

-- What belongs to a person. `account_id` has the same value until the next release drops it, for processes of the release before.
alter table sessions add column person_id uuid;
alter table challenges add column person_id uuid;
alter table code_entries add column person_id uuid;
alter table account_networks add column person_id uuid;
alter table account_devices add column person_id uuid;
alter table reset_links add column person_id uuid;
alter table authenticators add column person_id uuid;
alter table recovery_codes add column person_id uuid;
alter table passkeys add column person_id uuid;
alter table passkey_challenges add column person_id uuid;
alter table operators add column person_id uuid;

create function set_person_id() returns trigger
language plpgsql
as $$
begin
  new.person_id := coalesce(new.person_id, new.account_id);
  new.account_id := coalesce(new.account_id, new.person_id);
  return new;
end
$$;
create trigger set_person_id before insert on sessions for each row execute function set_person_id();
create trigger set_person_id before insert on challenges for each row execute function set_person_id();
create trigger set_person_id before insert on code_entries for each row execute function set_person_id();
create trigger set_person_id before insert on account_networks for each row execute function set_person_id();
create trigger set_person_id before insert on account_devices for each row execute function set_person_id();
create trigger set_person_id before insert on reset_links for each row execute function set_person_id();
create trigger set_person_id before insert on authenticators for each row execute function set_person_id();
create trigger set_person_id before insert on recovery_codes for each row execute function set_person_id();
create trigger set_person_id before insert on passkeys for each row execute function set_person_id();
create trigger set_person_id before insert on passkey_challenges for each row execute function set_person_id();
create trigger set_person_id before insert on operators for each row execute function set_person_id();

-- The rest of this file serves a rolling restart: processes of the release before write the person's columns of `accounts`, and
-- these triggers repeat it in `people`. The function `mirror_contact` repeats the opposite. The next release drops these triggers.

-- A process of the release before signs a user up. Like a taken address, a person with the address or username prevents it.
create function add_person_of_account() returns trigger
language plpgsql
as $$
begin
  insert into people (id, email, username, password_hash, first_name, last_name, phone_number, phone_verified_at,
    two_factor_enabled, two_factor_method, two_factor_phone, created_at, time_zone)
  values (new.id, new.email, new.username, new.password_hash, new.first_name, new.last_name, new.phone_number,
    new.phone_verified_at, new.two_factor_enabled, new.two_factor_method, new.two_factor_phone, new.created_at, new.time_zone)
  on conflict do nothing;
  return case when found then new end;
end
$$;
create trigger add_person_of_account before insert on accounts
  for each row when (new.email is not null) execute function add_person_of_account();

create function add_owner_of_account() returns trigger
language plpgsql
as $$
begin
  insert into memberships (account_id, person_id, role, joined_at) values (new.id, new.id, 'owner', new.created_at)
  on conflict do nothing;
  return null;
end
$$;
create trigger add_owner_of_account after insert on accounts
  for each row when (new.email is not null) execute function add_owner_of_account();

-- A statement of a process changes the owner's columns; that of a trigger has another depth. Waits for the next migration, which
-- may be copying the row.
create function change_person_of_account() returns trigger
language plpgsql
as $$
begin
  insert into people as p (id, email, username, password_hash, first_name, last_name, phone_number, phone_verified_at,
    two_factor_enabled, two_factor_method, two_factor_phone, created_at, time_zone)
  values (new.id, new.email, new.username, new.password_hash, new.first_name, new.last_name, new.phone_number,
    new.phone_verified_at, new.two_factor_enabled, new.two_factor_method, new.two_factor_phone, new.created_at, new.time_zone)
  on conflict (id) do update set email = new.email, username = new.username, password_hash = new.password_hash,
    first_name = new.first_name, last_name = new.last_name, phone_number = new.phone_number,
    phone_verified_at = new.phone_verified_at, two_factor_enabled = new.two_factor_enabled,
    two_factor_method = new.two_factor_method, two_factor_phone = new.two_factor_phone, time_zone = new.time_zone
  where not exists (select from memberships where account_id = new.id)
    or exists (select from memberships where account_id = new.id and person_id = new.id and role = 'owner');
  return null;
end
$$;
create trigger change_person_of_account
  after update of email, username, password_hash, first_name, last_name, phone_number, phone_verified_at,
    two_factor_enabled, two_factor_method, two_factor_phone, time_zone on accounts
  for each row when (pg_trigger_depth() = 0 and new.deleted_at is null) execute function change_person_of_account();

-- A process of this release has deleted the memberships already, and erased the people itself.
create function delete_person_of_account() returns trigger
language plpgsql
as $$
begin
  if exists (select from people where id = new.id)
    and not exists (select from memberships where account_id = new.id and person_id = new.id) then
    return null;
  end if;
  insert into people (id, created_at, deleted_at) values (new.id, new.created_at, new.deleted_at)
  on conflict (id) do update set email = null, username = null, password_hash = null, first_name = '', last_name = '',
    phone_number = '', phone_verified_at = null, time_zone = null, two_factor_phone = '', two_factor_enabled = false,
    deleted_at = new.deleted_at
  where people.deleted_at is null
    and not exists (select from memberships where person_id = new.id and account_id <> new.id);
  delete from memberships where account_id = new.id;
  return null;
end
$$;
create trigger delete_person_of_account after update of deleted_at on accounts
  for each row when (old.deleted_at is null and new.deleted_at is not null) execute function delete_person_of_account();
