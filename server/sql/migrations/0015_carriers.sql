-- Carriers that operators added in the console. Processes read them when the live setting `carriers` changes.
create table stored_carriers (
  id uuid primary key,
  name text not null unique,
  kind text not null check (kind in ('smtp', 'twilio', 'http')),
  channels text[] not null check (cardinality(channels) > 0),
  is_enabled boolean not null,
  -- since when is_enabled has its value
  switched_at timestamptz not null,
  -- without secrets
  fields jsonb not null,
  -- the secrets, sealed under the server key
  sealed bytea not null,
  version integer not null,
  changed_at timestamptz not null,
  changed_by uuid references accounts
);
