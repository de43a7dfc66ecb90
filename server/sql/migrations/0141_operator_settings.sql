-- Settings that operators changed, with their history. The newest row of a name counts; null restores the default. Append-only.
create table setting_changes (
  id uuid primary key,
  name text not null,
  value jsonb,
  created_at timestamptz not null,
  operator_id uuid references accounts
);
create index setting_changes_by_name on setting_changes (name, id);

-- What the processes did in each minute: sends and verifies by outcome, and what carriers answered.
create table activity_minutes (
  minute timestamptz not null,
  kind text not null,
  -- carrier/channel; empty for calls
  subject text not null,
  entries integer not null,
  ms bigint not null,
  primary key (minute, kind, subject)
) with (fillfactor = 70);

-- The latest errors of carriers.
create table carrier_errors (
  id uuid primary key,
  created_at timestamptz not null,
  carrier text not null,
  channel text not null,
  kind text not null check (kind in ('refused', 'uncertain')),
  reason text not null,
  detail text not null
);

-- The circuit breakers that are open in each worker.
create table open_breakers (
  worker_id uuid not null,
  carrier text not null,
  channel text not null,
  seen_at timestamptz not null,
  primary key (worker_id, carrier, channel)
);

create table announcements (
  id uuid primary key,
  text text not null,
  tone text not null check (tone in ('info', 'warning')),
  starts_at timestamptz not null,
  ends_at timestamptz,
  created_at timestamptz not null,
  operator_id uuid not null references accounts
);

create table database_sizes (
  day date primary key,
  bytes bigint not null
);
