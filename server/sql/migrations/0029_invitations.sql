-- Open invitations to an account. A row is deleted when the invitation is accepted, revoked or has expired; the audit log has the
-- history.
create table invitations (
  id uuid primary key,
  account_id uuid not null references accounts,
  email text not null,
  role text not null check (role in ('owner', 'admin', 'developer', 'support', 'viewer')),
  -- of the newest link
  token_hash bytea not null unique,
  -- how many links it has had
  links integer not null default 1,
  invited_by uuid not null references people,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  unique (account_id, email)
);
create index invitations_by_expiry on invitations (expires_at);

-- Whether the member gets mails about the operation of the account. Null: the choice of the role.
alter table memberships add column service_notices boolean;
