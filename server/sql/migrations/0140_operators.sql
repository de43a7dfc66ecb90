alter table accounts
  add column suspended_at timestamptz,
  add column suspended_reason text not null default '',
  -- what operators search
  add column search_text text not null generated always as (
    lower(coalesce(email, '') || ' ' || coalesce(username, '') || ' ' || first_name || ' ' || last_name || ' ' || phone_number)
  ) stored;

alter table ledger drop constraint ledger_kind_check, add constraint ledger_kind_check check (
  kind in ('usage', 'refund', 'purchase', 'clawback', 'reinstate', 'welcome', 'adjustment')) not valid;
alter table ledger validate constraint ledger_kind_check;

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
