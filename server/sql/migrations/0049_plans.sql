-- Codes that go out on several channels in turn. The row of a verification waits until its next step is due, and goes with the
-- verification's end.
create table plans (
  otp_id uuid primary key,
  account_id uuid not null,
  -- the message of the current step: every advance names it, so only one can succeed
  current_id uuid not null,
  -- the steps that have not started: [{channel, and the text of its message}]
  rest json not null,
  wait_seconds smallint not null,
  -- the code, which is wiped from recipients ten minutes after its first send
  sealed bytea not null,
  run_at timestamptz not null,
  expires_at timestamptz not null,
  -- a message was delivered, so only a resend starts the next step
  is_held boolean not null default false,
  -- the claim: the worker that has it, and the token that fences its changes
  worker_id uuid,
  claim uuid,
  claimed_at timestamptz
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_threshold = 5000,
        autovacuum_analyze_threshold = 2000000000, vacuum_truncate = off);
create index plans_due on plans (run_at) where worker_id is null;
create index plans_claimed on plans (worker_id) where worker_id is not null;

-- What `channels: "auto"` means: plans is {default: {channels, wait_seconds} or null, countries: [{country, channels, wait_seconds}]}.
create table account_plans (
  account_id uuid primary key references accounts (id),
  plans jsonb not null
);

-- The first message of a plan: {step: 1, steps: [{channel, id?, skipped?, at?}]}. A later one: {step: its place}.
alter table verifications add plan jsonb;
alter table webhook_endpoints add send_on_step boolean not null default false;
