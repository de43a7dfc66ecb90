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
  deleted_at timestamptz
);
create index api_keys_of_account on api_keys (account_id, id);

-- Requests of a key in its current second, over all processes. Unlogged: a crash resets the count of one second.
create unlogged table key_rates (
  api_key_id uuid primary key,
  second bigint not null,
  used integer not null
) with (fillfactor = 30);
