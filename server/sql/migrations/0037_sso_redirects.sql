-- Settings from before this version use the redirect URL that all accounts share, until an owner changes it. So do settings that a
-- process of the version before writes.
alter table account_sso add column shared_redirect boolean not null default true;
alter table account_sso add column session_hours integer not null default 24 check (session_hours between 1 and 2160);
create index account_sso_issuer on account_sso (rtrim(issuer, '/'));

-- A callback that comes again is told apart from one that is unknown.
alter table sso_logins add column used_at timestamptz;
-- A provider that refuses may omit the state.
create index sso_logins_browser on sso_logins (browser_hash);

-- When a session ends that began with single sign-on; null: by its age.
alter table sessions add column ends_at timestamptz;
update sessions set ends_at = created_at + interval '24 hours' where sso_account_id is not null and ended_at is null;

-- Keyed hashes of the addresses and identities of people who left an account or were removed. They outlive the people. Nobody who
-- matches one joins by single sign-on, only by an invitation.
create table former_member_hashes (
  account_id uuid not null references accounts,
  hash bytea not null,
  left_at timestamptz not null,
  primary key (account_id, hash)
);
