-- made with a test key: it costs nothing and never leaves the service
alter table verifications add column is_test boolean not null default false;

-- test sends of the account on spend_day
alter table balances add column tests_today integer not null default 0;

-- Messages of test verifications that the simulated carrier has taken, and the delivery report that it will make.
create table test_messages (
  account_id uuid not null,
  -- the verification
  id uuid not null,
  created_at timestamptz not null,
  -- null once the report is made, or if there will be none
  report text check (report in ('delivered', 'undelivered')),
  report_at timestamptz,
  primary key (account_id, id)
);
create index test_messages_to_report on test_messages (report_at) where report is not null;
create index test_messages_by_age on test_messages (created_at);
