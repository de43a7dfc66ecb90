create table verifications (
  account_id uuid not null,
  id uuid not null,
  api_key_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  sent_at timestamptz,
  delivered_at timestamptz,
  verified_at timestamptz,
  cost_credits smallint not null,
  code_length smallint not null,
  -- how many segments networks carry an SMS in, which the carrier bills; null for voice and e-mail
  segments smallint,
  channel text not null,
  recipient text not null,
  status text not null check (status in ('pending', 'sent', 'verified', 'failed', 'expired')),
  -- null once it can no longer verify
  code_hmac bytea,
  -- as given with the send; null: the account's own
  message text,
  subject text,
  carrier text,
  provider_message_id text,
  -- why it failed
  failure text,
  -- what ended it other than time and the right code
  closed_by text check (closed_by in ('canceled', 'superseded', 'attempts')),
  ip_address inet,
  -- the end user's address, as given with the send
  client_ip inet,
  -- made with a test key: it costs nothing and never leaves the service
  is_test boolean not null default false,
  -- ISO 3166-1 alpha-2 country of the recipient's number; null for e-mail
  country text,
  -- Where a right code came from. Readers take the usual end of the history from this row, which spares a line for each verified code.
  verified_ip inet,
  primary key (account_id, id)
) partition by range (id);
create index verifications_that_can_verify on verifications (expires_at) where code_hmac is not null;
create index verifications_by_age on verifications using brin (id);
create table verifications_other partition of verifications default;

-- Changes of status. The first lines of a history are read from the verification: how it began, and the usual dispatch.
create table status_history (
  account_id uuid not null,
  otp_id uuid not null,
  changed_at timestamptz not null,
  previous_status text,
  new_status text not null,
  ip_address inet,
  notes text
) partition by range (otp_id);
create index status_history_of_verification on status_history (otp_id);
create index status_history_by_age on status_history using brin (otp_id);
create table status_history_other partition of status_history default;
-- It has no key, and logical replication needs one or this. ensure_partitions does the same for new months.
alter table status_history replica identity full;
alter table status_history_other replica identity full;

-- The code of a recipient, the tries it used, and when codes were sent: one row per account and recipient, written under an
-- advisory lock on the two.
create table recipients (
  account_id uuid not null,
  recipient text not null,
  -- the code that further sends share, as long as they may
  code_hmac bytea,
  code_sealed bytea,
  code_length smallint,
  code_first_sent_at timestamptz,
  -- when the sealed code can no longer be sent: the end of sharing, or of the last open verification
  code_until timestamptz,
  open_until timestamptz,
  -- verifications that a right code can still close
  open_ids uuid[] not null default '{}',
  tries_used smallint not null default 0,
  -- milliseconds since 1970 of the sends of the last day, oldest first
  sends bigint[] not null default '{}',
  touched_at timestamptz not null,
  -- milliseconds since 1970 of the wrong codes of the last 24 hours, oldest first
  wrong_tries bigint[] not null default '{}',
  primary key (account_id, recipient)
) with (fillfactor = 70);
create index recipients_with_code on recipients (code_until) where code_sealed is not null;
create index recipients_by_touch on recipients using brin (touched_at);

-- Sends to one recipient over all accounts, by a keyed hash. Unlogged: a crash of the database resets this limit, not the one
-- of each account.
create unlogged table recipient_sends (
  recipient_hash bytea primary key,
  -- milliseconds since 1970 of the sends of the last 24 hours, oldest first
  sends bigint[] not null,
  touched_at timestamptz not null
) with (fillfactor = 70);
create index recipient_sends_by_touch on recipient_sends using brin (touched_at);

-- Messages on their way to a carrier: one row per verification, removed when a carrier has the message.
create table deliveries (
  id uuid primary key,
  account_id uuid not null,
  channel text not null,
  sealed bytea not null,
  run_at timestamptz not null,
  expires_at timestamptz not null,
  -- the claim: the worker that has it, and the token that fences its changes
  worker_id uuid,
  claim uuid,
  claimed_at timestamptz,
  -- the carrier that it is being dispatched to, or that may have it
  carrier text,
  -- carriers that refused it for certain
  refused_by text[] not null default '{}',
  -- dispatches without an answer; the message goes once more to the same carrier after the first
  uncertain smallint not null default 0,
  tries smallint not null default 0,
  last_failure text
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_threshold = 5000,
        autovacuum_analyze_threshold = 2000000000, vacuum_truncate = off);
-- By channel, so that a claim costs the same however many messages of another channel wait.
create index deliveries_due on deliveries (channel, run_at) where worker_id is null;
create index deliveries_claimed on deliveries (worker_id) where worker_id is not null;

create table idempotency_keys (
  account_id uuid not null,
  endpoint text not null,
  -- SHA-256 of the key
  key bytea not null,
  -- keyed: the body may hold a code
  request bytea not null,
  -- null while the first request is in flight (purchases)
  status smallint,
  -- as text: a repeated request gets the same bytes
  response json,
  created_at timestamptz not null,
  primary key (account_id, endpoint, key)
);
create index idempotency_keys_by_age on idempotency_keys using brin (created_at);

-- Messages of test verifications that the simulated carrier has taken, and the delivery report that it will make.
create table test_messages (
  account_id uuid not null,
  -- the verification
  id uuid not null,
  created_at timestamptz not null,
  -- null once the report is made, or if there will be none
  report text check (report in ('delivered', 'undelivered')),
  report_at timestamptz,
  primary key (account_id, id)
);
create index test_messages_to_report on test_messages (report_at) where report is not null;
create index test_messages_by_age on test_messages (created_at);
