create table balances (
  account_id uuid primary key references accounts,
  credits integer not null default 0 constraint balance_not_negative check (credits >= 0),
  -- credits taken back after they were spent; the account sends nothing until a purchase has paid them
  debt integer not null default 0 check (debt >= 0),
  daily_credit_limit integer check (daily_credit_limit > 0),
  monthly_credit_limit integer check (monthly_credit_limit > 0),
  -- credits of sends on spend_day, a day of UTC, and in its month
  spent_today integer not null default 0,
  spent_this_month integer not null default 0,
  spend_day date not null default '-infinity',
  -- test sends of the account on spend_day
  tests_today integer not null default 0
) with (fillfactor = 50);
create index balances_with_spend_limits on balances (account_id)
  where daily_credit_limit is not null or monthly_credit_limit is not null;

-- Append only. The sum of an account's rows is its credits minus its debt. No foreign key: its check would lock the row of the
-- account at each send, and every entry is written with the balance, which refers to the account.
create table ledger (
  account_id uuid not null,
  id uuid not null,
  created_at timestamptz not null,
  -- signed: the change of the balance
  credits integer not null,
  kind text not null check (kind in ('usage', 'refund', 'purchase', 'clawback', 'reinstate', 'welcome', 'adjustment')),
  -- refund:otp, purchase:payment intent, …: an event that can happen only once. Null for the debit of a send: it has the id of its
  -- verification, so the primary key allows one for each send.
  reference text,
  description text not null,
  primary key (account_id, id),
  -- The kind first: entries of one kind come in the order of time, and only a key of several columns then fills its pages.
  constraint ledger_reference unique (kind, reference),
  constraint ledger_reference_check check (reference is not null or kind = 'usage')
);

-- The last mail about each limit: the share in percent that the account, or one of its keys, had reached in a period.
create table spend_notices (
  account_id uuid not null,
  -- the account or the key
  subject_id uuid not null,
  span text not null check (span in ('day', 'month')),
  -- the first day of the period
  period date not null,
  percent smallint not null,
  -- a changed limit announces its shares again
  credit_limit integer not null,
  primary key (account_id, subject_id, span)
);
