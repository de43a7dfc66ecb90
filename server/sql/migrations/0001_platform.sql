-- Ids are UUIDv7: the order of ids is the order of time, and a range of ids is a month.
--
-- Each autovacuum and each analysis of a table makes every connection plan its statements on that table again, which delays the next
-- batch by 5 to 15 ms. So tables whose rows live for seconds are vacuumed after more dead rows, which their pages have room for, and are
-- not analyzed: the statements on them look rows up by key whatever the statistics say. An emptied queue keeps its pages, because giving
-- them back locks the table.

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
  seen_at timestamptz not null,
  version text not null default ''
);

-- Jobs of workers that failed, for the operators' overview.
create table job_failures (
  job text not null primary key,
  failures integer not null,
  last_failed_at timestamptz not null,
  last_error text not null
);

-- Dashboard calls of an account in its current second, over all processes. Unlogged: a crash resets the count of one second.
create unlogged table account_rates (
  account_id uuid primary key,
  second bigint not null,
  used integer not null
) with (fillfactor = 30, autovacuum_vacuum_threshold = 20000, autovacuum_analyze_threshold = 2000000000, vacuum_truncate = off);

-- Lists show the exact number of all rows that match. For days that are over this number no longer changes, so a job stores it
-- by account, API key and what the lists filter and order by. Only the ends of a time window are counted row by row. The list `routes`
-- counts verifications by channel, country and carrier too: its rows are many, and most pages need none of them. The lists `all_…`
-- have the same counts over all keys, which are far fewer rows for lists without a filter by key.
create table daily_counts (
  account_id uuid not null,
  list text not null check (list in ('verifications', 'routes', 'requests', 'all_verifications', 'all_routes', 'all_requests')),
  day date not null,
  api_key_id uuid not null,
  -- the status of a verification, the status code of a response
  outcome text not null,
  request_type text not null default '',
  credits smallint not null default 0,
  entries integer not null,
  channel text not null default '',
  country text not null default '',
  carrier text not null default '',
  primary key (account_id, list, day, api_key_id, outcome, request_type, credits, channel, country, carrier)
);
create index daily_counts_by_day on daily_counts (list, day);

-- The days that are counted, without a gap: from the first day to before the second. UTC.
create table counted_days (
  list text primary key,
  from_day date not null,
  until_day date not null
);

-- A search for part of a recipient uses trigrams. The service makes those indexes when a month is over. Without the extension
-- such a search reads the rows.
do $$ begin
  create extension if not exists pg_trgm;
exception when others then
  raise notice 'The extension pg_trgm is not available, so searches read all rows: %', sqlerrm;
end $$;
