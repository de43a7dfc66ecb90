create table api_keys (
  id uuid primary key,
  account_id uuid not null references accounts,
  name text not null,
  -- the first 12 characters
  prefix text not null,
  -- SHA-256 of the whole key
  hash bytea not null unique,
  created_at timestamptz not null,
  last_used_at timestamptz,
  deleted_at timestamptz,
  -- test: nothing leaves the service and nothing costs credits; never changes
  mode text not null default 'live' check (mode in ('live', 'test')),
  scopes text[] not null default '{otp:send,otp:verify,otp:read}',
  expires_at timestamptz,
  -- null: every network
  allowed_networks cidr[],
  note text not null default '',
  -- the secret before the last rotation: its hash, its first 12 characters, its end and its last use
  retired_hash bytea,
  retired_prefix text,
  retired_until timestamptz,
  retired_last_used_at timestamptz
);
create index api_keys_of_account on api_keys (account_id, id);
create unique index api_keys_by_retired_hash on api_keys (retired_hash) where retired_hash is not null;
create index test_keys_of_account on api_keys (account_id) where mode = 'test';

-- Requests of a key in its current second, over all processes. Unlogged: a crash resets the count of one second.
create unlogged table key_rates (
  api_key_id uuid primary key,
  second bigint not null,
  used integer not null
) with (fillfactor = 30, autovacuum_vacuum_threshold = 20000, autovacuum_analyze_threshold = 2000000000, vacuum_truncate = off);

-- Keys with a daily limit, and what they spent. Changed only under the lock of the account's balance.
create table key_spending (
  account_id uuid not null references accounts,
  api_key_id uuid not null references api_keys,
  daily_credit_limit integer not null check (daily_credit_limit > 0),
  -- credits of sends on spend_day, a day of UTC
  spent_today integer not null default 0,
  spend_day date not null default '-infinity',
  primary key (account_id, api_key_id)
) with (fillfactor = 50);
