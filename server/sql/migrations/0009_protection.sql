-- Rules and lists of accounts. The row of the nil UUID is the operator's: rules over all accounts, and bounds of thresholds.
-- An account without a row has the defaults.
create table protection_settings (
  account_id uuid primary key,
  -- as in the contract, without what equals the defaults
  rules jsonb not null default '{}',
  allow jsonb not null default '[]',
  deny jsonb not null default '[]',
  bounds jsonb not null default '{}',
  updated_at timestamptz not null
);
create index protection_settings_by_update on protection_settings (updated_at);

-- What each process counted in one second: [[account, prefix, country, client, minute, counts_for_conversion, sent, over,
-- verified, [recipients]]]. Other processes read them, and a job adds them up in protection_counts.
create table protection_deltas (
  process_id uuid not null,
  seq bigint not null,
  at timestamptz not null,
  deltas json not null,
  is_summed boolean not null default false,
  primary key (process_id, seq)
);
create index protection_deltas_by_time on protection_deltas (at);
create index protection_deltas_to_sum on protection_deltas (at) where not is_summed;

-- Sums of deltas by hour (a day long) and by day (15 days, only of countries and accounts). Processes read them when they start.
create table protection_counts (
  -- the nil UUID: all accounts
  account_id uuid not null,
  -- prefix, country, client, account, or client and country
  kind text not null,
  key text not null,
  unit text not null check (unit in ('hour', 'day')),
  -- hours or days since 1970
  bucket integer not null,
  sent integer not null,
  -- sends of accounts that verify their codes
  tried integer not null,
  over integer not null,
  verified integer not null,
  primary key (account_id, kind, key, unit, bucket)
);
create index protection_counts_by_age on protection_counts (unit, bucket);

-- Prefixes that a rule has blocked for hours, in an account or (nil UUID) in all.
create table blocked_prefixes (
  account_id uuid not null,
  prefix text not null,
  country text not null,
  rule text not null,
  blocked_until timestamptz not null,
  changed_at timestamptz not null,
  primary key (account_id, prefix)
);
create index blocked_prefixes_by_change on blocked_prefixes (changed_at);

-- What was blocked, or would have been, by hour.
create table protection_blocks (
  account_id uuid not null,
  -- hours since 1970
  hour integer not null,
  rule text not null,
  scope text not null,
  prefix text not null,
  country text not null,
  -- empty unless the rule concerns clients
  client text not null,
  blocked integer not null,
  monitored integer not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (account_id, hour, rule, scope, prefix, country, client)
);
create index protection_blocks_by_age on protection_blocks (hour);

-- Days on which an account got a mail about a prefix or a country.
create table protection_mails (
  account_id uuid not null,
  subject text not null,
  day date not null,
  primary key (account_id, subject, day)
);

-- Domains that an account's messages may link to, proven by a TXT record.
create table message_domains (
  id uuid primary key,
  account_id uuid not null references accounts,
  domain text not null,
  token text not null,
  created_at timestamptz not null,
  checked_at timestamptz,
  problem text,
  -- the last time at which the record was found; null: never, or withdrawn
  verified_at timestamptz,
  -- the record is gone, and the domain counts until then
  lapses_at timestamptz,
  unique (account_id, domain)
);
create index message_domains_due on message_domains (checked_at) where verified_at is not null;
