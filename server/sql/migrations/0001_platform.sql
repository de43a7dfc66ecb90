-- Ids are UUIDv7: the order of ids is the order of time, and a range of ids is a month.

-- Facts about the whole service, such as the fingerprint of its server key.
create table service_facts (
  name text primary key,
  value text not null,
  changed_at timestamptz not null default now()
);

-- Processes that work. One that has not been seen for 4 seconds is dead, and its claims are free.
create table workers (
  id uuid primary key,
  name text not null,
  started_at timestamptz not null,
  seen_at timestamptz not null
);
