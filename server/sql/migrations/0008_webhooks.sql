create table webhook_endpoints (
  id uuid primary key,
  account_id uuid not null references accounts,
  name text not null,
  url text not null,
  -- sealed; the previous one signs as well until previous_secret_until
  secret bytea not null,
  previous_secret bytea,
  previous_secret_until timestamptz,
  is_active boolean not null default true,
  disabled_reason text check (disabled_reason in ('gone', 'failing')),
  send_on_sent boolean not null default true,
  send_on_delivered boolean not null default true,
  send_on_failed boolean not null default true,
  send_on_verified boolean not null default true,
  send_on_expired boolean not null default true,
  total_sent integer not null default 0,
  consecutive_failures integer not null default 0,
  last_sent_at timestamptz,
  last_success_at timestamptz,
  -- the first failure since the last success
  failing_since timestamptz,
  created_at timestamptz not null
);
create index webhook_endpoints_of_account on webhook_endpoints (account_id, id);

-- Messages to endpoints, written with the change that they report and stored 30 days for replays.
create table webhook_messages (
  id uuid not null,
  account_id uuid not null,
  endpoint_id uuid not null,
  type text not null,
  otp_id uuid,
  body jsonb not null,
  created_at timestamptz not null,
  primary key (endpoint_id, id)
) partition by range (id);
create index webhook_messages_by_age on webhook_messages using brin (id);
create table webhook_messages_other partition of webhook_messages default;

-- Messages on their way to an endpoint, removed when they are delivered or given up.
create table webhook_deliveries (
  id uuid primary key,
  endpoint_id uuid not null,
  account_id uuid not null,
  run_at timestamptz not null,
  -- tries so far, and how many of them preceded the last replay, which starts the schedule anew
  tries smallint not null default 0,
  tries_before_replay smallint not null default 0,
  worker_id uuid,
  claim uuid,
  claimed_at timestamptz
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_threshold = 5000,
        autovacuum_analyze_threshold = 2000000000, vacuum_truncate = off);
create index webhook_deliveries_ready on webhook_deliveries (endpoint_id, run_at) where worker_id is null;
create index webhook_deliveries_claimed on webhook_deliveries (worker_id) where worker_id is not null;

create table webhook_attempts (
  endpoint_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  message_id uuid not null,
  event_type text not null,
  otp_id uuid,
  attempt smallint not null,
  attempted_at timestamptz not null,
  response_status smallint,
  duration_ms integer not null,
  succeeded boolean not null,
  error text,
  response_excerpt text,
  next_attempt_at timestamptz,
  primary key (endpoint_id, id)
) partition by range (id);
create index webhook_attempts_of_message on webhook_attempts (endpoint_id, message_id);
create index webhook_attempts_by_age on webhook_attempts using brin (id);
create table webhook_attempts_other partition of webhook_attempts default;

-- Tests and replays of an endpoint in the minute that began with the first of them, and mails about new receivers by day. Unlogged: a crash of the database resets
-- this limit.
create unlogged table webhook_rates (
  endpoint_id uuid not null,
  action text not null check (action in ('test', 'replay', 'mail')),
  since timestamptz not null,
  used integer not null,
  primary key (endpoint_id, action)
) with (fillfactor = 50);
