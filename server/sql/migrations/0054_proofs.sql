-- Proof of work before sends.

-- null: never
alter table protection_settings add column require_proof text;
alter table api_keys add column require_proof text not null default 'never';

-- The challenges whose solutions a send has used, each once.
create table used_proofs (
  -- the first half of the challenge
  id bytea primary key,
  expires_at timestamptz not null
);
create index used_proofs_by_expiry on used_proofs (expires_at);
