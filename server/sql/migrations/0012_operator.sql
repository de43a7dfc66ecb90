-- The people who run the deployment.
create table operators (
  account_id uuid primary key references accounts,
  role text not null check (role in ('support', 'admin')),
  created_at timestamptz not null
);

-- Keys of operators, for automation.
create table operator_keys (
  id uuid primary key,
  -- the operator who created it
  operator_id uuid not null references accounts,
  name text not null,
  -- the first 16 characters
  prefix text not null,
  -- SHA-256 of the whole key
  hash bytea not null unique,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_used_at timestamptz,
  deleted_at timestamptz
);

-- Every change and reveal by an operator. Append-only, by a trigger.
create table operator_actions (
  id uuid primary key,
  created_at timestamptz not null,
  -- null: the command line
  operator_id uuid references accounts,
  operator_key_id uuid references operator_keys,
  action text not null,
  -- the account that it concerns
  subject_account_id uuid,
  subject text not null,
  reason text not null,
  before jsonb,
  after jsonb,
  ip_address inet,
  user_agent text
);
create index operator_actions_of_account on operator_actions (subject_account_id, id)
  where subject_account_id is not null;

create table announcements (
  id uuid primary key,
  text text not null,
  tone text not null check (tone in ('info', 'warning')),
  starts_at timestamptz not null,
  ends_at timestamptz,
  created_at timestamptz not null,
  operator_id uuid not null references accounts
);

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
