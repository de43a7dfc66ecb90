-- Lists show the exact number of all rows that match. For days that are over this number no longer changes, so a job stores it
-- by account, API key and what the lists filter and order by. Only the ends of a time window are counted row by row.
create table daily_counts (
  account_id uuid not null,
  list text not null check (list in ('verifications', 'requests')),
  day date not null,
  api_key_id uuid not null,
  -- the status of a verification, the status code of a response
  outcome text not null,
  request_type text not null default '',
  credits smallint not null default 0,
  entries integer not null,
  primary key (account_id, list, day, api_key_id, outcome, request_type, credits)
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
