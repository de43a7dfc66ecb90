-- Accounts: sessions, codes of the dashboard, throttles, and notices to people.

-- Where SMS codes go: a number that was proven. A new number in the profile takes its place once it is proven too.
alter table accounts add column two_factor_phone text not null default '';
-- when the history of a deleted account was erased
alter table accounts add column erased_at timestamptz;
create index accounts_to_erase on accounts (deleted_at) where deleted_at is not null and erased_at is null;

-- A session is a family of refresh tokens: each use of one makes its child, and only the newest is worth anything.
create table sessions (
  id uuid primary key,
  account_id uuid not null references accounts,
  -- SHA-256 of the newest refresh token, and of the one it replaced
  refresh_hash bytea not null,
  parent_hash bytea,
  rotated_at timestamptz,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  ip_address inet,
  user_agent text
);
create index sessions_of_account on sessions (account_id, id);
create index sessions_by_expiry on sessions (expires_at);

-- What a session_token stands for: something that waits for a code. Gone once consumed or used up.
create table challenges (
  id uuid primary key,
  -- SHA-256
  token_hash bytea not null unique,
  purpose text not null check (purpose in ('sign_in', 'sign_up', 'reset_password', 'phone')),
  -- null for sign-ups, and where nobody has the address that was given
  account_id uuid references accounts,
  -- keyed; the same code, its recipient and what it completes are sealed beside it
  code_hmac bytea not null,
  sealed bytea not null,
  code_expires_at timestamptz not null,
  tries smallint not null default 0,
  resends smallint not null default 0,
  last_sent_at timestamptz not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index challenges_of_account on challenges (account_id) where account_id is not null;
create index challenges_by_expiry on challenges (expires_at);

-- Wrong codes of an account over all its sessions: one row an account, which also serialises code entry.
create table code_entries (
  account_id uuid primary key references accounts,
  failures timestamptz[] not null default '{}',
  locked_until timestamptz
) with (fillfactor = 50);

-- How often something was tried within its window. The key is a keyed hash of what, by whom and from where.
create unlogged table throttles (
  key bytea primary key,
  used integer not null,
  until timestamptz not null
) with (fillfactor = 50);
create index throttles_by_end on throttles (until);

-- Messages to our own users on their way to a carrier: gone when a carrier has them, or at their expiry.
create table notices (
  id uuid primary key,
  account_id uuid,
  channel text not null check (channel in ('email', 'sms')),
  -- recipient, contents and code
  sealed bytea not null,
  created_at timestamptz not null,
  run_at timestamptz not null,
  expires_at timestamptz not null,
  worker_id uuid,
  -- fences what is done with it
  claim uuid,
  tries smallint not null default 0,
  -- the carrier whose answer was lost: the only one that may have it
  uncertain_at text
);
create index notices_ready on notices (run_at) where worker_id is null;
create index notices_claimed on notices (worker_id) where worker_id is not null;
create index notices_of_account on notices (account_id) where account_id is not null;
