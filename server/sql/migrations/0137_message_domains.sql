-- Domains that an account's messages may link to, proven by a TXT record.
create table message_domains (
  id uuid primary key,
  account_id uuid not null references accounts,
  domain text not null,
  token text not null,
  created_at timestamptz not null,
  checked_at timestamptz,
  problem text,
  -- the last time at which the record was found; null: never, or withdrawn
  verified_at timestamptz,
  -- the record is gone, and the domain counts until then
  lapses_at timestamptz,
  unique (account_id, domain)
);
create index message_domains_due on message_domains (checked_at) where verified_at is not null;
