-- E-mail addresses to which an account sends nothing. fingerprint: keyed hash of the address; recipient: masked.
-- reason: hard_bounce, soft_bounces, complaint, provider, manual. soft_bounces counts those in a row; an entry with this reason
-- is in force until `until`, and before the last one of them it only counts. carrier and otp_id: the source of the event, absent
-- if the account added the entry.
create table suppressions (
  id uuid not null,
  account_id uuid not null references accounts (id),
  fingerprint bytea not null,
  recipient text not null,
  reason text not null,
  soft_bounces smallint not null default 0,
  carrier text,
  otp_id uuid,
  detail text,
  created_at timestamptz not null,
  until timestamptz,
  primary key (account_id, id),
  unique (fingerprint, account_id)
);

-- Hard bounces that other accounts' messages met.
create index suppressions_hard_bounces on suppressions (fingerprint, created_at) where reason = 'hard_bounce' and otp_id is not null;
