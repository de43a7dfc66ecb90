-- One customer per account at each provider. `stripe_test` and `stripe` are two, because their objects never meet.
create table payment_customers (
  account_id uuid not null references accounts,
  provider text not null check (provider in ('stripe', 'stripe_test', 'sandbox')),
  customer_id text not null unique,
  -- the saved card of the newest purchase, which auto-purchase charges
  last_method_id text,
  created_at timestamptz not null,
  primary key (account_id, provider)
);

create sequence receipt_numbers;

-- A purchase, written before the first request to the card provider.
create table orders (
  id uuid primary key,
  account_id uuid not null references accounts,
  kind text not null check (kind in ('bundle', 'custom', 'auto')),
  credits integer not null check (credits > 0),
  price_usd_cents integer not null check (price_usd_cents > 0),
  status text not null default 'pending' check (status in ('pending', 'failed', 'canceled', 'succeeded')),
  provider text not null,
  -- what the intent is made from, so that a repeated request for it is the same request
  customer_id text not null,
  -- the saved card that is charged; null where a new one is entered in the browser
  method_id text,
  saves_method boolean not null default false,
  -- SHA-256 of the Idempotency-Key that the purchase came with
  request_key bytea,
  intent_id text unique,
  -- why it brought no credit, for the customer
  failure text,
  card_brand text,
  card_last4 text,
  -- credits that refunds and disputes hold at present
  credits_taken integer not null default 0,
  receipt_number bigint unique,
  created_at timestamptz not null,
  -- the last request to the provider for the intent
  asked_at timestamptz not null,
  -- the reconciler's next look; null once nothing can change any more
  check_at timestamptz,
  -- when the payment was credited; the trigger orders_are_paid writes it
  paid_at timestamptz,
  -- whether somebody tried to pay: opening the payment form alone is not a try, and the payment history leaves it out
  is_tried boolean not null default false,
  check (credits_taken between 0 and credits),
  check (status <> 'succeeded' or intent_id is not null)
);
create unique index one_auto_purchase_in_flight on orders (account_id) where kind = 'auto' and status = 'pending';
-- An Idempotency-Key belongs to an account and an endpoint: with a saved card, or with a new one.
create unique index orders_by_request_key on orders (account_id, request_key, (method_id is null))
  where request_key is not null;
create index orders_of_account on orders (account_id, id);
create index orders_to_check on orders (check_at) where check_at is not null;
create index orders_paid on orders (paid_at) where paid_at is not null;

-- Refunds and disputes of an order. A row only moves forward: taken, then returned.
create table order_reversals (
  -- the provider's id, re_… or dp_…
  id text primary key,
  order_id uuid not null references orders,
  cents integer not null check (cents >= 0),
  state text not null check (state in ('taken', 'returned')),
  -- a refund or dispute that is returned was returned then
  changed_at timestamptz not null,
  taken_at timestamptz not null default now()
);
create index order_reversals_of_order on order_reversals (order_id);
-- The accounting export reads reversals in the order of time.
create index order_reversals_by_time on order_reversals (taken_at);
create index order_reversals_returned on order_reversals (changed_at) where state = 'returned';

-- Disputes of payments, as the card provider last described them. A status never moves back.
create table disputes (
  -- the provider's id, dp_… or du_…
  id text primary key,
  order_id uuid not null references orders,
  account_id uuid not null references accounts,
  cents integer not null check (cents >= 0),
  currency text not null,
  -- of the cardholder, such as fraudulent
  reason text not null,
  status text not null,
  -- until when evidence can be submitted; null where it cannot
  evidence_due_at timestamptz,
  has_evidence boolean not null,
  opened_at timestamptz not null,
  closed_at timestamptz,
  changed_at timestamptz not null
);
create index disputes_by_time on disputes (opened_at, id);
create index disputes_open on disputes (evidence_due_at) where closed_at is null;
create index disputes_of_account on disputes (account_id);
create index disputes_of_order on disputes (order_id);

-- Payments that the provider took and that no order can be credited for. They are refunded.
create table unmatched_payments (
  intent_id text primary key,
  provider text not null,
  account_id uuid not null references accounts,
  order_id uuid not null references orders,
  amount_cents integer not null check (amount_cents >= 0),
  currency text not null,
  reason text not null check (reason in ('second_intent', 'other_amount', 'other_currency')),
  found_at timestamptz not null,
  -- the next attempt to refund it
  run_at timestamptz not null,
  tries integer not null default 0,
  last_failure text,
  refunded_at timestamptz
);
create index unmatched_payments_to_refund on unmatched_payments (run_at) where refunded_at is null;
create index unmatched_payments_by_time on unmatched_payments (found_at);
create index unmatched_payments_refunded on unmatched_payments (refunded_at) where refunded_at is not null;

-- Events of the provider, stored before they are acknowledged and then retried until they are processed.
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

-- Failures of an account's auto-purchase. An account without a row has none.
create table auto_purchases (
  account_id uuid primary key references accounts,
  declines smallint not null default 0,
  retry_at timestamptz,
  -- the bank asks for the customer; paused until the customer has bought credits in person
  paused_at timestamptz
);

-- Accounts that got a notice of their low balance and are still below their threshold.
create table low_balance_notices (
  account_id uuid primary key references accounts,
  notified_at timestamptz not null
);

-- How many entries of its ledger an account has up to one of them, by type and description, so that the count of its payment history
-- reads only later entries. Entries are never changed or removed, so neither are these.
create table transaction_counts (
  account_id uuid primary key,
  -- the last entry that is counted
  up_to_id uuid not null,
  -- an array of {transaction_type, description, n}
  counts jsonb not null
);

-- The card provider of a sandbox. It stores no card number, only how the card behaves.
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

-- Refunds of test cards by an operator.
create table sandbox_refunds (
  id text primary key,
  intent_id text not null references sandbox_intents,
  cents integer not null check (cents > 0),
  created_at timestamptz not null
);
create index sandbox_refunds_of_intent on sandbox_refunds (intent_id);
