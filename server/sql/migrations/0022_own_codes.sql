-- Verifications whose code the sender made and checks. Their code_hmac cannot verify a code; it only finds repeated sends.
alter table verifications
  add column own_code boolean not null default false,
  -- what the sender reported about the code, and when
  add column outcome text check (outcome in ('verified', 'unverified')),
  add column outcome_at timestamptz;

-- Messages with own codes. They are in no other count of messages and codes.
alter table insight_deltas
  add column own_codes integer not null default 0,
  add column own_delivered integer not null default 0,
  add column own_failed integer not null default 0;
alter table insight_sums
  add column own_codes integer not null default 0,
  add column own_delivered integer not null default 0,
  add column own_failed integer not null default 0;
drop index insight_sums_of_hours;
create index insight_sums_of_hours on insight_sums (account_id, country, api_key_id, channel, at)
  include (sent, dispatched, delivered, verified, expired, failed, canceled, exhausted, superseded, credits, refunded, rejected,
    wrong_codes, times, own_codes, own_delivered, own_failed)
  where minutes = 60 and (country = '*' or api_key_id = '00000000-0000-0000-0000-000000000000');

-- The code of a test message, sealed, for as long as it is valid. Null: the documented test code.
alter table test_messages add column code_sealed bytea;
create index test_messages_with_code on test_messages (created_at) where code_sealed is not null;
