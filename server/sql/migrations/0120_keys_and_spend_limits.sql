alter table api_keys
  -- test: nothing leaves the service and nothing costs credits; never changes
  add column mode text not null default 'live' check (mode in ('live', 'test')),
  add column scopes text[] not null default '{otp:send,otp:verify,otp:read}',
  add column expires_at timestamptz,
  -- null: every network
  add column allowed_networks cidr[],
  add column note text not null default '',
  -- the secret before the last rotation: its hash, its first 12 characters, its end and its last use
  add column retired_hash bytea,
  add column retired_prefix text,
  add column retired_until timestamptz,
  add column retired_last_used_at timestamptz;
create unique index api_keys_by_retired_hash on api_keys (retired_hash) where retired_hash is not null;
create index test_keys_of_account on api_keys (account_id) where mode = 'test';

-- Keys with a daily limit, and what they spent. Changed only under the lock of the account's balance.
create table key_spending (
  account_id uuid not null references accounts,
  api_key_id uuid not null references api_keys,
  daily_credit_limit integer not null check (daily_credit_limit > 0),
  -- credits of sends on spend_day, a day of UTC
  spent_today integer not null default 0,
  spend_day date not null default '-infinity',
  primary key (account_id, api_key_id)
) with (fillfactor = 50);

alter table balances
  add column daily_credit_limit integer check (daily_credit_limit > 0),
  add column monthly_credit_limit integer check (monthly_credit_limit > 0),
  -- credits of sends on spend_day, a day of UTC, and in its month
  add column spent_today integer not null default 0,
  add column spent_this_month integer not null default 0,
  add column spend_day date not null default '-infinity';
create index balances_with_spend_limits on balances (account_id)
  where daily_credit_limit is not null or monthly_credit_limit is not null;

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
