-- Refunds of test cards by an operator.
create table sandbox_refunds (
  id text primary key,
  intent_id text not null references sandbox_intents,
  cents integer not null check (cents > 0),
  created_at timestamptz not null
);
create index sandbox_refunds_of_intent on sandbox_refunds (intent_id);
