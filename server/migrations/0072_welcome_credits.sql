-- Welcome credits that a new account gets once it has proven a phone number; 0 where it got them at once, or got them since.
alter table accounts add column welcome_credits_due integer not null default 0 check (welcome_credits_due >= 0);

-- Keyed hashes of the numbers that welcome credits were given for. They outlive the account and the erasure of the number.
create table welcome_numbers (
  fingerprint bytea primary key,
  created_at timestamptz not null
);
