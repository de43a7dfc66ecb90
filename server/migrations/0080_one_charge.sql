-- An order is charged once, for ever.

-- An Idempotency-Key belongs to an account and an endpoint: with a saved card, or with a new one.
drop index orders_by_request_key;
create unique index orders_by_request_key on orders (account_id, request_key, (method_id is null))
  where request_key is not null;

-- The card provider honours the order's idempotency key for 24 hours. Before each request for an intent the service notes the
-- time in asked_at, so this trigger refuses every request that could make a second intent.
create function guard_order_intent() returns trigger language plpgsql as $$
begin
  if old.intent_id is not null and new.intent_id is distinct from old.intent_id then
    raise exception 'order % has another intent', old.id
      using errcode = 'check_violation', constraint = 'one_intent_an_order';
  end if;
  if new.asked_at is distinct from old.asked_at
    and (old.intent_id is not null or clock_now() >= old.created_at + interval '23 hours') then
    raise exception 'order % must not ask for an intent again', old.id
      using errcode = 'check_violation', constraint = 'one_intent_an_order';
  end if;
  return new;
end $$;
create trigger orders_have_one_intent before update of intent_id, asked_at on orders
  for each row execute function guard_order_intent();

-- Payments that the provider took and that no order can be credited for: they are refunded.
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
