-- Keyed hashes of numbers that answered STOP. They outlive the erasure of a recipient.
create table opt_outs (
  fingerprint bytea primary key,
  created_at timestamptz not null default now()
);
