-- Payments: orders, what the card provider told of them, and the cards of a sandbox.

-- One customer an account at each provider; `stripe_test` and `stripe` are two, since their objects never meet.
create table payment_customers (
  account_id uuid not null references accounts,
  provider text not null check (provider in ('stripe', 'stripe_test', 'sandbox')),
  customer_id text not null unique,
  -- the saved card of the newest purchase: what auto-purchase charges
  last_method_id text,
  created_at timestamptz not null,
  primary key (account_id, provider)
);

create sequence receipt_numbers;

-- A purchase, written before the card provider hears of it.
create table orders (
  id uuid primary key,
  account_id uuid not null references accounts,
  kind text not null check (kind in ('bundle', 'custom', 'auto')),
  credits integer not null check (credits > 0),
  price_usd_cents integer not null check (price_usd_cents > 0),
  status text not null default 'pending' check (status in ('pending', 'failed', 'canceled', 'succeeded')),
  provider text not null,
  -- what the intent is made from, so that asking again is the same request
  customer_id text not null,
  -- the saved card that is charged; null where a new one is entered in the browser
  method_id text,
  saves_method boolean not null default false,
  -- SHA-256 of the Idempotency-Key that the purchase came with
  request_key bytea,
  intent_id text unique,
  -- why it brought no credit, in words for the customer
  failure text,
  card_brand text,
  card_last4 text,
  -- credits that refunds and disputes hold at present
  credits_taken integer not null default 0,
  receipt_number bigint unique,
  created_at timestamptz not null,
  -- the provider was last asked to make the intent
  asked_at timestamptz not null,
  -- the reconciler's next look; null once nothing can change any more
  check_at timestamptz,
  check (credits_taken between 0 and credits),
  check (status <> 'succeeded' or intent_id is not null)
);
create unique index one_auto_purchase_in_flight on orders (account_id) where kind = 'auto' and status = 'pending';
create unique index orders_by_request_key on orders (account_id, request_key) where request_key is not null;
create index orders_of_account on orders (account_id, id);
create index orders_to_check on orders (check_at) where check_at is not null;

-- Refunds and disputes of an order. A row only ever moves forward: taken, then returned.
create table order_reversals (
  -- the provider's id, re_… or dp_…
  id text primary key,
  order_id uuid not null references orders,
  cents integer not null check (cents >= 0),
  state text not null check (state in ('taken', 'returned')),
  changed_at timestamptz not null
);
create index order_reversals_of_order on order_reversals (order_id);

-- Events of the provider: kept before they are answered, gone through until processed.
create table payment_events (
  id text primary key,
  type text not null,
  intent_id text,
  received_at timestamptz not null,
  run_at timestamptz not null,
  tries smallint not null default 0,
  last_failure text,
  processed_at timestamptz
);
create index payment_events_to_process on payment_events (run_at) where processed_at is null;
create index payment_events_by_age on payment_events using brin (received_at);

-- How an account's auto-purchase fares; no row means well.
create table auto_purchases (
  account_id uuid primary key references accounts,
  declines smallint not null default 0,
  retry_at timestamptz,
  -- the bank wants the customer; until they have bought something themselves
  paused_at timestamptz
);
create index accounts_with_auto_purchase on accounts (id) where auto_purchase_enabled;

create function forget_auto_purchase_failures() returns trigger language plpgsql as $$
begin
  delete from auto_purchases where account_id = new.id;
  return null;
end $$;
create trigger auto_purchase_starts_afresh after update of auto_purchase_enabled on accounts
  for each row when (new.auto_purchase_enabled and not old.auto_purchase_enabled)
  execute function forget_auto_purchase_failures();

-- Accounts that were told of their low balance and are still below their threshold.
create table low_balance_notices (
  account_id uuid primary key references accounts,
  notified_at timestamptz not null
);
create index accounts_with_low_balance_notice on accounts (id) where low_balance_threshold is not null;

-- The card provider of a sandbox. No card number is kept, only how the card behaves.
create table sandbox_cards (
  id text primary key,
  customer_id text not null,
  behaviour text not null,
  brand text not null,
  last4 text not null,
  exp_month smallint not null,
  exp_year smallint not null,
  created_at timestamptz not null
);
create index sandbox_cards_of_customer on sandbox_cards (customer_id);

create table sandbox_intents (
  id text primary key,
  client_secret text not null unique,
  order_id uuid not null unique,
  account_id uuid not null,
  customer_id text not null,
  amount_cents integer not null,
  status text not null check (status in ('requires_payment_method', 'requires_action', 'succeeded', 'canceled')),
  saves_method boolean not null,
  -- the card that it waits with, or was paid with
  card jsonb,
  failure jsonb,
  created_at timestamptz not null
);
