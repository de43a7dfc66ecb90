-- The look-up of numbers, at most one. Processes read it when the live setting `lookup` changes.
create table lookup_setups (
  is_only boolean primary key default true check (is_only),
  id uuid not null,
  kind text not null,
  is_enabled boolean not null,
  -- without secrets
  fields jsonb not null,
  -- the secrets, sealed under the server key
  sealed bytea not null,
  cache_hours integer not null,
  timeout_ms integer not null,
  daily_limit integer not null,
  account_daily_limit integer not null,
  version integer not null,
  changed_at timestamptz not null,
  changed_by uuid references people
);

-- What an account's look-ups found, by the hash of recipient_sends. Only answers of the present version of the setup are used.
create table lookup_answers (
  account_id uuid not null,
  hash bytea not null,
  version integer not null,
  facts jsonb not null,
  answered_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (account_id, hash)
);
create index lookup_answers_by_hash on lookup_answers (hash);
create index lookup_answers_by_expiry on lookup_answers (expires_at);

-- Look-ups of each account and, under the nil id, of all accounts, by day in UTC.
create table lookup_counts (
  account_id uuid not null,
  day date not null,
  lookups integer not null,
  primary key (account_id, day)
);

alter table protection_settings add lookups jsonb not null default '{}';

-- The line type and the carrier that a look-up before the send found.
alter table verifications add lookup jsonb;
