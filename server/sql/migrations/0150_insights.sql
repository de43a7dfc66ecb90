-- Numbers of the Insights screen: written by triggers with every change of a verification, never by scanning.

-- ISO 3166-1 alpha-2 country of the recipient's number; null for e-mail
alter table verifications add column country text;

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
  refunded integer not null
);
-- It has no key, and logical replication needs one or this.
alter table insight_deltas replica identity full;

-- Verifications by the time they were created: five minutes each for some hours, then one row for each hour.
create table insight_counts (
  account_id uuid not null,
  at timestamptz not null,
  minutes smallint not null check (minutes in (5, 60)),
  channel text not null,
  country text not null,
  api_key_id uuid not null,
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
  primary key (account_id, at, minutes, channel, country, api_key_id)
) with (fillfactor = 80);
create index insight_counts_of_minutes on insight_counts (at) where minutes = 5;

-- How long right codes took, by bucket.
create table insight_times (
  account_id uuid not null,
  at timestamptz not null,
  minutes smallint not null check (minutes in (5, 60)),
  channel text not null,
  country text not null,
  api_key_id uuid not null,
  bucket smallint not null,
  verified integer not null,
  primary key (account_id, at, minutes, channel, country, api_key_id, bucket)
) with (fillfactor = 80);
create index insight_times_of_minutes on insight_times (at) where minutes = 5;
