create table request_logs (
  account_id uuid not null,
  id uuid not null,
  api_key_id uuid not null,
  otp_id uuid,
  -- null where it equals id
  request_id uuid,
  created_at timestamptz not null,
  response_time_ms real not null,
  count integer not null default 1,
  response_status_code smallint not null,
  credits_used smallint not null default 0,
  request_type text not null check (request_type in ('send_otp', 'verify_otp')),
  -- null where they are those of the request_type
  method text,
  endpoint text,
  channel text,
  recipient text,
  reason text,
  ip_address inet,
  -- the rules that refused a send
  blocked_by text[],
  primary key (account_id, id)
) partition by range (id);
create index request_logs_by_age on request_logs using brin (id);
-- Tenths of a millisecond, as whole numbers, so that equal ones share an entry. The day comes before the id, which it agrees
-- with, since ids would share none.
create index request_logs_by_duration on request_logs
  (account_id, ((response_time_ms * 10)::integer), ((created_at at time zone 'UTC')::date) desc);
create index request_logs_of_key_by_duration on request_logs
  (api_key_id, ((response_time_ms * 10)::integer), ((created_at at time zone 'UTC')::date) desc);
-- Only the few refused requests are ever found by their status. The index has all that the order by response time needs.
create index request_logs_refused_by_status on request_logs
  (account_id, response_status_code, ((response_time_ms * 10)::integer), ((created_at at time zone 'UTC')::date) desc, id desc)
  include (response_time_ms, created_at, api_key_id) where response_status_code >= 400;
create table request_logs_other partition of request_logs default;

-- Changes that the job has not folded yet. Only inserts and deletes, so that concurrent batches never wait for each other.
create table insight_deltas (
  account_id uuid not null,
  -- start of the five minutes in which the verification was created
  at timestamptz not null,
  channel text not null,
  -- empty: e-mail
  country text not null,
  api_key_id uuid not null,
  -- how long the right code took, as a number of `seconds_bucket`; null: not verified
  bucket smallint,
  sent integer not null,
  dispatched integer not null,
  delivered integer not null,
  verified integer not null,
  expired integer not null,
  failed integer not null,
  canceled integer not null,
  exhausted integer not null,
  superseded integer not null,
  credits integer not null,
  refunded integer not null,
  -- no carrier accepted the message
  rejected integer not null default 0,
  wrong_codes integer not null default 0
) with (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_threshold = 2000000000,
        vacuum_truncate = off);
-- It has no key, and logical replication needs one or this.
alter table insight_deltas replica identity full;

-- Sums for the Insights screen, in rows that any range, filter and time zone reads few of.
create table insight_sums (
  account_id uuid not null,
  -- 5: verifications of five minutes, until they are rolled up. 60 and 1440: rolled up, of an hour and of a day in UTC
  minutes smallint not null check (minutes in (5, 60, 1440)),
  -- empty: e-mail. Rolled up also over all countries: `*`
  country text not null,
  -- rolled up also over all keys: the nil UUID
  api_key_id uuid not null,
  -- rolled up also over all channels, countries and keys: `*`
  channel text not null,
  at timestamptz not null,
  sent integer not null,
  -- a carrier accepted the message
  dispatched integer not null,
  -- a carrier reported the delivery
  delivered integer not null,
  verified integer not null,
  expired integer not null,
  failed integer not null,
  -- its owner canceled it
  canceled integer not null,
  -- too many wrong codes
  exhausted integer not null,
  -- another send to the same recipient was verified instead
  superseded integer not null,
  -- credits spent, after refunds
  credits integer not null,
  refunded integer not null,
  -- no carrier accepted the message
  rejected integer not null,
  wrong_codes integer not null,
  -- how many right codes took how long: one element for each `seconds_bucket`, up to the last that is needed
  times integer[],
  -- The time stands last: a range of one country, key and channel is one range of the index.
  primary key (account_id, minutes, country, api_key_id, channel, at)
) with (fillfactor = 80);
create index insight_sums_of_minutes on insight_sums (at) where minutes = 5;
-- for retention
create index insight_sums_by_age on insight_sums using brin (at);
-- Days of other time zones than UTC are added up from hours. One range of this index has them side by side, where the table has each
-- on another page. Hours hardly change after they are rolled up, so the included columns cost little.
create index insight_sums_of_hours on insight_sums (account_id, country, api_key_id, channel, at)
  include (sent, dispatched, delivered, verified, expired, failed, canceled, exhausted, superseded, credits, refunded, rejected,
    wrong_codes, times)
  where minutes = 60 and (country = '*' or api_key_id = '00000000-0000-0000-0000-000000000000');

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

create table database_sizes (
  day date primary key,
  bytes bigint not null
);
