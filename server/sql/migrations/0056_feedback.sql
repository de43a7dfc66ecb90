-- Right codes about which the company that delivered them wants to know. A row waits for some minutes at most.
create table feedback (
  otp_id uuid primary key,
  account_id uuid not null,
  -- the message that brought the code: the verification itself or a resend
  message_id uuid not null,
  -- the entered code, if the company compares it
  sealed bytea,
  created_at timestamptz not null,
  run_at timestamptz not null,
  tries smallint not null default 0,
  -- the claim: the worker that has it, and the token that fences its changes
  worker_id uuid,
  claim uuid
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_threshold = 5000,
        autovacuum_analyze_threshold = 2000000000, vacuum_truncate = off);
create index feedback_due on feedback (run_at) where worker_id is null;
