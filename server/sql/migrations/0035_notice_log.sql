-- The notices of each kind to an account's members in the last 24 hours, to limit their number. `told_id` is the account, or the
-- member whom a notice is about.
create table notice_log (
  id uuid primary key,
  account_id uuid not null,
  told_id uuid not null,
  kind text not null,
  posted_at timestamptz not null
);
create index notice_log_of_kind on notice_log (account_id, told_id, kind, posted_at);
create index notice_log_by_age on notice_log (posted_at);
