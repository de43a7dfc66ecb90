-- Warnings about a low balance, which every account gets unless its owner turns them off. The table `low_balance_notices` and the
-- index `accounts_with_low_balance_notice` are only read by the previous version.
alter table balances
  -- the balance after credits were last added
  add column topped_up_to integer not null default 0,
  -- the threshold in effect; 0 if the owner has turned the warnings off
  add column warn_below integer not null default 5,
  -- the last warning since the balance was sufficient
  add column warning text not null default 'empty' check (warning in ('none', 'low', 'empty')),
  -- when its mail is due; null once it is sent
  add column warning_due_at timestamptz;
create index balances_with_warning_due on balances (warning_due_at) where warning_due_at is not null;

-- An upgrade sends no mail about balances that are already low.
update balances b set topped_up_to = b.credits, warn_below = t.warn_below,
  warning = case when b.credits = 0 then 'empty' when b.credits < t.warn_below then 'low' else 'none' end
from (
  select a.id, coalesce(a.low_balance_threshold,
    least(greatest(5, o.credits / 10), case when a.auto_purchase_enabled then a.auto_purchase_threshold end)) as warn_below
  from accounts a join balances o on o.account_id = a.id) t
where t.id = b.account_id;

-- Why auto-purchase is paused, or why the service has switched it off.
alter table auto_purchases
  add column reason text check (reason in ('authentication', 'reversal', 'declined', 'no_card'));
create index orders_of_auto_purchases on orders (account_id, id) where kind = 'auto';

-- The payment history without sends and their refunds, which are most of its rows.
create index ledger_without_sends on ledger (account_id, id) where kind not in ('usage', 'refund');

-- Finished sends of a day in UTC by country and prefix, the credits spent on them, and the part spent on codes that were never
-- verified. Each account has its most expensive prefixes of a day; the row with an empty prefix has all others of the country.
-- E-mail has an empty country.
create table prefix_costs (
  account_id uuid not null,
  day date not null,
  country text not null,
  prefix text not null,
  verified integer not null,
  unverified integer not null,
  spent integer not null,
  credits integer not null,
  primary key (account_id, day, country, prefix)
);
create index prefix_costs_by_day on prefix_costs (day);
