-- The last test message of each carrier, and the delivery report about it: {state, status, reason, price, network}. It names no recipient.
create table carrier_tests (
  carrier text primary key,
  id uuid not null,
  channel text not null,
  sent_at timestamptz not null,
  outcome text check (outcome in ('accepted', 'refused', 'uncertain')),
  report jsonb,
  reported_at timestamptz
);
