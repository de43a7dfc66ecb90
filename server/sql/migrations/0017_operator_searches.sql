-- Operators' searches for whole recipients in the last 15 minutes, so that the requests of one search share one audit entry. The
-- key is a keyed fingerprint of the operator, the account and the recipient.
create table operator_searches (
  fingerprint bytea primary key,
  began_at timestamptz not null
);
create index operator_searches_by_time on operator_searches (began_at);
