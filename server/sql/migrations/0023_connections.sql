-- A connection owns a key whose text nobody knows, so that limits, logs and lists of keys apply to it.
alter table api_keys add column kind text not null default 'key' check (kind in ('key', 'connection'));

-- Addresses at which other systems ask for a message with a code that they made.
create table connections (
  id uuid primary key,
  account_id uuid not null references accounts,
  api_key_id uuid not null unique references api_keys,
  -- the hash of the key, which never changes
  key_hash bytea not null,
  -- as in the contract
  system text not null,
  -- the text of messages for systems that give the code alone; null: the account's own
  message text,
  -- how long the system's codes are valid; null: as long as the account's own
  code_seconds smallint check (code_seconds between 60 and 3600),
  -- sealed
  secret bytea not null,
  -- sealed; the secret from before the last rotation
  previous_secret bytea,
  previous_until timestamptz,
  created_at timestamptz not null,
  -- requests without a valid secret, and the last one
  wrong_signatures integer not null default 0,
  wrong_signature_at timestamptz,
  -- the reason of the last refused send
  last_error text,
  last_error_at timestamptz
);
create index connections_of_account on connections (account_id, id);
