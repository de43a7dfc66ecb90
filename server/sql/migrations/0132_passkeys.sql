-- WebAuthn credentials.
create table passkeys (
  id uuid primary key,
  account_id uuid not null references accounts,
  credential_id bytea not null unique,
  -- COSE
  public_key bytea not null,
  -- signatures that the authenticator reported last; 0 if it does not count
  counter bigint not null,
  transports text[] not null,
  name text not null,
  -- synchronised between the user's devices
  is_synced boolean not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_of_account on passkeys (account_id, id);

-- Challenges that wait for a passkey. Each is used once.
create table passkey_challenges (
  -- SHA-256
  hash bytea primary key,
  purpose text not null check (purpose in ('register', 'sign_in', 'second_step', 'step_up')),
  -- null for a sign-in, where the passkey names the account
  account_id uuid references accounts,
  -- the session that registers or proves, or the pending sign-in
  subject uuid,
  expires_at timestamptz not null
);
create index passkey_challenges_by_expiry on passkey_challenges (expires_at);
create index passkey_challenges_of_account on passkey_challenges (account_id) where account_id is not null;
