-- Authenticator apps (RFC 6238), at most one per account.
create table authenticators (
  account_id uuid primary key references accounts,
  -- the secret, sealed
  sealed bytea not null,
  created_at timestamptz not null,
  -- null until the first code of the app was entered
  confirmed_at timestamptz,
  -- the time step of the newest accepted code: each code counts once
  last_step bigint not null default 0,
  last_used_at timestamptz
);
create index authenticators_unconfirmed on authenticators (created_at) where confirmed_at is null;

-- Codes that replace the second factor, each once. A used code is deleted.
create table recovery_codes (
  account_id uuid not null references accounts,
  -- keyed
  hash bytea not null,
  created_at timestamptz not null,
  primary key (account_id, hash)
);
