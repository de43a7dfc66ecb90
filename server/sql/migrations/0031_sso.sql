-- Single sign-on with an account's own identity provider (OpenID Connect).
create table account_sso (
  account_id uuid primary key references accounts,
  issuer text not null,
  client_id text not null,
  -- sealed
  client_secret bytea not null,
  domain text not null,
  token text not null,
  checked_at timestamptz,
  problem text,
  -- the last time at which the record was found; null: never, or withdrawn
  verified_at timestamptz,
  -- the record is gone, and the domain counts until then
  lapses_at timestamptz,
  default_role text not null check (default_role in ('admin', 'developer', 'support', 'viewer')),
  required boolean not null default false,
  -- the owner who can sign in without the provider
  exempt_person_id uuid references people,
  -- the last sign-in with this issuer and client
  signed_in_at timestamptz,
  failed_at timestamptz,
  failure text not null default '',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (not required or exempt_person_id is not null)
);
-- At most one account has proven a domain.
create unique index account_sso_domain on account_sso (domain) where verified_at is not null;
create index account_sso_due on account_sso (checked_at) where verified_at is not null;

-- A person at an account's provider. It opens that account only.
create table identities (
  account_id uuid not null references accounts,
  issuer text not null,
  subject text not null,
  person_id uuid not null references people,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  primary key (account_id, issuer, subject)
);
create index identities_person on identities (person_id);

-- Sign-ins at a provider that have begun. The nonce and the PKCE verifier are derived from the state.
create table sso_logins (
  state_hash bytea primary key,
  -- of the token that the browser keeps
  browser_hash bytea not null,
  account_id uuid not null references accounts,
  issuer text not null,
  client_id text not null,
  -- the session that proves its user again; null for a sign-in
  session_id uuid,
  expires_at timestamptz not null
);
create index sso_logins_expiry on sso_logins (expires_at);
create index sso_logins_account on sso_logins (account_id);

-- Identities whose address belongs to a person who must sign in before they are linked.
create table sso_links (
  token_hash bytea primary key,
  account_id uuid not null references accounts,
  person_id uuid not null references people,
  issuer text not null,
  subject text not null,
  expires_at timestamptz not null
);
create index sso_links_expiry on sso_links (expires_at);
create index sso_links_account on sso_links (account_id);
create index sso_links_person on sso_links (person_id);

-- People who left an account or were removed from it. They do not come back by single sign-on, only by an invitation.
create table former_members (
  account_id uuid not null references accounts,
  person_id uuid not null references people,
  left_at timestamptz not null,
  primary key (account_id, person_id)
);
create index former_members_person on former_members (person_id);

-- Null: began by the person's own proof. Otherwise the session opens this account only.
alter table sessions add column sso_account_id uuid references accounts;
create index sessions_of_sso on sessions (sso_account_id, person_id) where sso_account_id is not null;
