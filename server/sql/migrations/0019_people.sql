create table people (
  id uuid primary key, email text unique, username text unique, password_hash text,
  first_name text not null default '', last_name text not null default '', created_at timestamptz not null, deleted_at timestamptz);
create table memberships (
  account_id uuid not null references accounts, person_id uuid not null references people, role text not null,
  invited_by uuid, joined_at timestamptz not null, last_seen_at timestamptz, primary key (account_id, person_id));
create index memberships_person on memberships (person_id);
alter table accounts add name text not null default '';
alter table sessions drop constraint sessions_account_id_fkey;
alter table sessions add sso_account_id uuid;
alter table sessions add person_id uuid generated always as (account_id) stored;
