-- Messages to our own users on their way to a carrier, removed when a carrier has them or when they expire.
create table notices (
  id uuid primary key,
  account_id uuid,
  channel text not null check (channel in ('email', 'sms')),
  -- recipient, contents and code
  sealed bytea not null,
  created_at timestamptz not null,
  run_at timestamptz not null,
  expires_at timestamptz not null,
  worker_id uuid,
  -- fences the changes of the worker
  claim uuid,
  tries smallint not null default 0,
  -- the carrier whose answer was lost: the only one that may have it
  uncertain_at text
);
create index notices_ready on notices (run_at) where worker_id is null;
create index notices_claimed on notices (worker_id) where worker_id is not null;
create index notices_of_account on notices (account_id) where account_id is not null;

-- Keyed hashes of numbers that answered STOP. They outlive the erasure of a recipient.
create table opt_outs (
  fingerprint bytea primary key,
  created_at timestamptz not null default now()
);

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
