-- Lists answer with the exact number of all that match. For days that are over that number no longer changes, so it is kept
-- by account, API key and what the lists filter by; only the ends of a time window are counted row by row.
create table daily_counts (
  account_id uuid not null,
  list text not null check (list in ('verifications', 'request_logs')),
  day date not null,
  api_key_id uuid not null,
  -- the status of a verification, the status code of an answer
  outcome text not null,
  entries integer not null,
  primary key (account_id, list, day, api_key_id, outcome)
);
create index daily_counts_by_day on daily_counts (list, day);

-- The days that are counted, without a gap: from the first on, up to but without the second. UTC.
create table counted_days (
  list text primary key,
  from_day date not null,
  until_day date not null
);

create function start_of(day date) returns uuid language sql immutable strict parallel safe as $$
  select uuid_floor(day::timestamp at time zone 'UTC')
$$;

create function day_of(id uuid) returns date language sql immutable strict parallel safe as $$
  select (to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) at time zone 'UTC')::date
$$;
