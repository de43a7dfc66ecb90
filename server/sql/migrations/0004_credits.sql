create table balances (
  account_id uuid primary key references accounts,
  credits integer not null default 0 constraint balance_not_negative check (credits >= 0),
  -- credits taken back after they were spent; the account sends nothing until a purchase has paid them
  debt integer not null default 0 check (debt >= 0)
) with (fillfactor = 50);

-- Append only. The sum of an account's rows is its credits minus its debt.
create table ledger (
  account_id uuid not null references accounts,
  id uuid not null,
  created_at timestamptz not null,
  -- signed: the change of the balance
  credits integer not null,
  kind text not null check (kind in ('usage', 'refund', 'purchase', 'clawback', 'reinstate', 'welcome')),
  -- usage:otp, refund:otp, purchase:payment intent, …: an event that can happen only once
  reference text not null,
  description text not null,
  primary key (account_id, id),
  -- The kind first: entries of one kind come in the order of time, and only a key of several columns then fills its pages.
  constraint ledger_reference unique (kind, reference)
);
