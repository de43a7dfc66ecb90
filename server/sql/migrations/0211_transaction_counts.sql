-- How many entries of its ledger an account has up to one of them, by type and description, so that the count of its payment history
-- reads only later entries. Entries are never changed or removed, so neither are these.
create table transaction_counts (
  account_id uuid primary key,
  -- the last entry that is counted
  up_to_id uuid not null,
  -- an array of {transaction_type, description, n}
  counts jsonb not null
);
