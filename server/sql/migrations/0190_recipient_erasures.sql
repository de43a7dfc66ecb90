-- Recipients that operators erase from all accounts. A worker does it step by step.
create table recipient_erasures (
  id uuid primary key,
  created_at timestamptz not null,
  -- the operator, and the key if one was used
  requested_by uuid not null references accounts,
  operator_key_id uuid references operator_keys,
  -- the recipient as the list shows it
  masked text not null,
  -- the recipient, encrypted, until the erasure ends
  sealed bytea,
  -- RETENTION_DAYS at the request: the steps depend on it
  retention_days integer not null,
  steps integer not null,
  steps_done integer not null default 0,
  -- rows by kind
  erased jsonb not null default '{}',
  -- a worker runs a step under this token until then
  lease uuid,
  leased_until timestamptz,
  ended_at timestamptz,
  constraint recipient_erasures_forget check ((sealed is null) = (ended_at is not null))
);
create index recipient_erasures_open on recipient_erasures (id) where ended_at is null;
