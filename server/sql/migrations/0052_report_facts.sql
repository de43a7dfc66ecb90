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

-- What a carrier reported of a message besides its delivery. Only operators see it.
alter table verifications add carrier_price numeric, add carrier_currency text, add network text, add read_at timestamptz;

-- Sums of these prices by the day of the send, in UTC. '' stands for an unknown country or currency.
create table carrier_costs (
  day date not null,
  carrier text not null,
  country text not null,
  currency text not null,
  messages integer not null,
  price numeric not null,
  primary key (day, carrier, country, currency)
);
