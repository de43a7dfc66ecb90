-- The tables that modules share. Ids are UUIDv7, so that order of id is order of time and a range of ids is a month.

-- The one time that decides expiry and money. Statements never call now() themselves.
create function clock_now() returns timestamptz language sql stable parallel safe as $$ select now() $$;

-- UUIDv7 for rows that a statement makes; the process makes all others.
create function new_uuid() returns uuid language sql volatile parallel safe as $$
  select encode(
    set_byte(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send((extract(epoch from clock_now()) * 1000)::bigint) from 3) from 1 for 6),
      6, (get_byte(uuid_send(gen_random_uuid()), 6) & 15) | 112),
    'hex')::uuid
$$;

-- The least UUIDv7 of a time: partition bounds and time windows.
create function uuid_floor(at timestamptz) returns uuid language sql immutable strict parallel safe as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
$$;

-- Facts about the whole service, such as the fingerprint of its server key.
create table service_facts (
  name text primary key,
  value text not null,
  changed_at timestamptz not null default now()
);

create table accounts (
  id uuid primary key,
  -- null once erased
  email text unique,
  username text unique,
  password_hash text,
  first_name text not null default '',
  last_name text not null default '',
  -- E.164, or empty
  phone_number text not null default '',
  phone_verified_at timestamptz,
  two_factor_enabled boolean not null default false,
  two_factor_method text not null default 'email' check (two_factor_method in ('sms', 'email')),
  -- OTP configuration; an empty text means the default
  sender_name text not null default '',
  reply_to_email text not null default '',
  default_subject text not null default '',
  default_message text not null default '',
  default_otp_length smallint not null default 6 check (default_otp_length between 4 and 8),
  default_expiry_seconds integer not null default 300 check (default_expiry_seconds between 60 and 3600),
  auto_purchase_enabled boolean not null default false,
  auto_purchase_threshold integer not null default 50 check (auto_purchase_threshold between 1 and 10000),
  auto_purchase_amount integer not null default 500 check (auto_purchase_amount between 100 and 100000),
  low_balance_threshold integer check (low_balance_threshold >= 0),
  created_at timestamptz not null default now(),
  deleted_at timestamptz
);

create table balances (
  account_id uuid primary key references accounts,
  credits integer not null default 0 constraint balance_not_negative check (credits >= 0),
  -- credits taken back after they were spent; sending rests until a purchase has paid them
  debt integer not null default 0 check (debt >= 0)
) with (fillfactor = 50);

-- Append only: the sum of an account's rows is its balance less its debt, always.
create table ledger (
  account_id uuid not null references accounts,
  id uuid not null,
  kind text not null check (kind in ('usage', 'refund', 'purchase', 'clawback', 'reinstate', 'welcome')),
  -- usage:otp, refund:otp, purchase:payment intent, …: what can happen once only
  reference text not null constraint ledger_reference unique,
  -- signed: what it does to the balance
  credits integer not null,
  description text not null,
  created_at timestamptz not null,
  primary key (account_id, id)
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are never changed or removed', tg_table_name using errcode = 'restrict_violation';
end $$;
create trigger ledger_is_append_only before update or delete or truncate on ledger
  for each statement execute function refuse_change();

create table api_keys (
  id uuid primary key,
  account_id uuid not null references accounts,
  name text not null,
  -- the first 12 characters
  prefix text not null,
  -- SHA-256 of the whole key
  hash bytea not null unique,
  created_at timestamptz not null,
  last_used_at timestamptz,
  deleted_at timestamptz
);
create index api_keys_of_account on api_keys (account_id, id);

-- Requests of a key in its current second, over all processes.
create unlogged table key_rates (
  api_key_id uuid primary key,
  second bigint not null,
  used integer not null
) with (fillfactor = 30);

create table verifications (
  account_id uuid not null,
  id uuid not null,
  api_key_id uuid not null,
  channel text not null,
  recipient text not null,
  status text not null check (status in ('pending', 'sent', 'verified', 'failed', 'expired')),
  cost_credits smallint not null,
  -- as given with the send; null: the account's own
  message text,
  subject text,
  code_length smallint not null,
  -- null once it can no longer verify
  code_hmac bytea,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  sent_at timestamptz,
  delivered_at timestamptz,
  verified_at timestamptz,
  carrier text,
  provider_message_id text,
  -- why it failed
  failure text,
  -- what ended it beside time and the right code
  closed_by text check (closed_by in ('canceled', 'superseded', 'attempts')),
  primary key (account_id, id)
) partition by range (id);
create index verifications_that_can_verify on verifications (expires_at) where code_hmac is not null;

create table status_history (
  account_id uuid not null,
  otp_id uuid not null,
  id uuid not null,
  previous_status text,
  new_status text not null,
  changed_at timestamptz not null,
  ip_address inet,
  notes text,
  primary key (account_id, otp_id, id)
) partition by range (otp_id);

create table request_logs (
  account_id uuid not null,
  id uuid not null,
  api_key_id uuid not null,
  request_type text not null check (request_type in ('send_otp', 'verify_otp')),
  method text not null,
  endpoint text not null,
  response_status_code smallint not null,
  response_time_ms real not null,
  credits_used smallint not null default 0,
  channel text,
  recipient text,
  otp_id uuid,
  ip_address inet,
  request_id uuid not null,
  reason text,
  count integer not null default 1,
  created_at timestamptz not null,
  primary key (account_id, id)
) partition by range (id);

-- The live code of a recipient, what was tried against it, and when codes were sent: one row per account and
-- recipient, written under an advisory lock on the two.
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
  primary key (account_id, recipient)
) with (fillfactor = 70);
create index recipients_with_code on recipients (code_until) where code_sealed is not null;
create index recipients_by_touch on recipients using brin (touched_at);

-- Keyed hashes of numbers that answered STOP. They outlive the erasure of a recipient.
create table opt_outs (
  fingerprint bytea primary key,
  created_at timestamptz not null default now()
);

create table idempotency_keys (
  account_id uuid not null,
  endpoint text not null,
  -- SHA-256 of the key
  key bytea not null,
  -- keyed: the body may hold a code
  request bytea not null,
  -- null while the first request is in flight (purchases)
  status smallint,
  -- as text: the same answer again, to the byte
  response json,
  created_at timestamptz not null,
  primary key (account_id, endpoint, key)
);
create index idempotency_keys_by_age on idempotency_keys using brin (created_at);

-- Processes that work; one that has not been seen for 4 seconds is dead and its claims are free.
create table workers (
  id uuid primary key,
  name text not null,
  started_at timestamptz not null,
  seen_at timestamptz not null
);

-- Messages on their way to a carrier: one row a verification, gone when a carrier has it.
create table deliveries (
  id uuid primary key,
  account_id uuid not null,
  channel text not null,
  sealed bytea not null,
  run_at timestamptz not null,
  expires_at timestamptz not null,
  -- the claim: who has it since when, fenced by a token
  worker_id uuid,
  claim uuid,
  claimed_at timestamptz,
  -- the carrier that it is being handed to, or that may have it
  carrier text,
  -- carriers that refused it for certain
  refused_by text[] not null default '{}',
  -- hand-overs whose answer never came: once more to the same carrier after the first
  uncertain smallint not null default 0,
  tries smallint not null default 0,
  last_failure text
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
        autovacuum_vacuum_cost_delay = 0);
create index deliveries_ready on deliveries (run_at) where worker_id is null;
create index deliveries_claimed on deliveries (worker_id) where worker_id is not null;

create table webhook_endpoints (
  id uuid primary key,
  account_id uuid not null references accounts,
  name text not null,
  url text not null,
  -- sealed; the previous one signs along until the time beside it
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

-- What is said to endpoints: written with the change it tells of, kept 30 days for replays.
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

-- Messages on their way to an endpoint: gone when delivered or given up.
create table webhook_deliveries (
  id uuid primary key,
  endpoint_id uuid not null,
  account_id uuid not null,
  run_at timestamptz not null,
  -- made so far, and how many of them came before the last replay, which starts the schedule anew
  tries smallint not null default 0,
  tries_before_replay smallint not null default 0,
  worker_id uuid,
  claim uuid,
  claimed_at timestamptz
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
        autovacuum_vacuum_cost_delay = 0);
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

-- The inbox that stands in for carriers in a sandbox.
create table sandbox_messages (
  id uuid primary key,
  channel text not null,
  recipient text not null,
  subject text,
  text text not null,
  html text,
  code text,
  created_at timestamptz not null
);
create index sandbox_messages_of_recipient on sandbox_messages (recipient, id);

-- One partition a month, made ahead of time; what no month holds goes to the default one.
create function ensure_partitions(from_month date, months integer) returns void language plpgsql as $$
declare
  parent text;
  month date;
begin
  foreach parent in array array['verifications', 'status_history', 'request_logs', 'webhook_messages', 'webhook_attempts'] loop
    for n in 0 .. months - 1 loop
      month := (date_trunc('month', from_month) + make_interval(months => n))::date;
      if to_regclass(format('%I', parent || '_' || to_char(month, 'YYYY_MM'))) is null then
        execute format('create table %I partition of %I for values from (%L) to (%L)',
          parent || '_' || to_char(month, 'YYYY_MM'), parent,
          uuid_floor(month::timestamp at time zone 'UTC'),
          uuid_floor((month + interval '1 month')::timestamp at time zone 'UTC'));
      end if;
    end loop;
  end loop;
end $$;

create table verifications_other partition of verifications default;
create table status_history_other partition of status_history default;
create table request_logs_other partition of request_logs default;
create table webhook_messages_other partition of webhook_messages default;
create table webhook_attempts_other partition of webhook_attempts default;
select ensure_partitions((now() - interval '1 month')::date, 6);
