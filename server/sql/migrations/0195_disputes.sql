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

-- What the accounting export reads in the order of time. A refund or dispute that is returned was returned at changed_at.
alter table order_reversals add column taken_at timestamptz not null default now();
update order_reversals r set taken_at = coalesce(
  (select l.created_at from ledger l where l.kind = 'clawback' and l.reference = 'clawback:' || r.id), r.changed_at);
create index order_reversals_by_time on order_reversals (taken_at);
create index order_reversals_returned on order_reversals (changed_at) where state = 'returned';

-- When the payment was credited. The trigger orders_are_paid writes it.
alter table orders add column paid_at timestamptz;
update orders o set paid_at = coalesce(
  (select l.created_at from ledger l where l.kind = 'purchase' and l.reference = 'purchase:' || o.intent_id), o.created_at)
where o.status = 'succeeded';
create index orders_paid on orders (paid_at) where paid_at is not null;

create index unmatched_payments_by_time on unmatched_payments (found_at);
create index unmatched_payments_refunded on unmatched_payments (refunded_at) where refunded_at is not null;
