-- Single-use links of mails that reset a password. Rows without an account make the work the same for unknown addresses.
create table reset_links (
  -- SHA-256 of the link's token
  token_hash bytea primary key,
  account_id uuid references accounts,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index reset_links_of_account on reset_links (account_id) where account_id is not null;
create index reset_links_by_expiry on reset_links (expires_at);
