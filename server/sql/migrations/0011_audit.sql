-- The audit log of an account. Append-only, by a trigger; two functions remove rows, and one counts failed sign-ins.
create table audit_entries (
  id uuid primary key,
  account_id uuid not null,
  created_at timestamptz not null,
  actor text not null check (actor in ('owner', 'key', 'operator', 'system', 'unknown')),
  action text not null,
  subject text not null,
  before jsonb,
  after jsonb,
  ip_address inet,
  user_agent text,
  count integer not null default 1 check (count > 0),
  -- failed sign-ins of one network in one minute share a row
  repeat_key text
);
create index audit_entries_of_account on audit_entries (account_id, id);
create unique index audit_entries_repeated on audit_entries (account_id, repeat_key) where repeat_key is not null;
