create table accounts (
  id uuid primary key,
  -- null once erased
  email text unique,
  username text unique,
  password_hash text,
  first_name text not null default '',
  last_name text not null default '',
  -- E.164, or empty
  phone_number text not null default '',
  phone_verified_at timestamptz,
  two_factor_enabled boolean not null default false,
  two_factor_method text not null default 'email' check (two_factor_method in ('sms', 'email')),
  -- the proven number that gets SMS codes; a new number in the profile replaces it once that is proven too
  two_factor_phone text not null default '',
  -- settings of sends; an empty text means the default
  sender_name text not null default '',
  reply_to_email text not null default '',
  default_subject text not null default '',
  default_message text not null default '',
  default_otp_length smallint not null default 6 check (default_otp_length between 4 and 8),
  default_expiry_seconds integer not null default 300 check (default_expiry_seconds between 60 and 3600),
  auto_purchase_enabled boolean not null default false,
  auto_purchase_threshold integer not null default 50 check (auto_purchase_threshold between 1 and 10000),
  auto_purchase_amount integer not null default 500 check (auto_purchase_amount between 100 and 100000),
  low_balance_threshold integer check (low_balance_threshold >= 0),
  -- credits that the account gets once it has proven a phone number
  welcome_credits_due integer not null default 0 check (welcome_credits_due >= 0),
  created_at timestamptz not null default now(),
  deleted_at timestamptz,
  -- when the history of a deleted account was erased
  erased_at timestamptz,
  suspended_at timestamptz,
  suspended_reason text not null default '',
  -- IANA time zone in which the dashboard shows times; null: the browser's
  time_zone text,
  -- what operators search; they see masked phone numbers, so they find an account by a whole number only
  search_text text not null generated always as (
    lower(coalesce(email, '') || ' ' || coalesce(username, '') || ' ' || first_name || ' ' || last_name)
  ) stored
-- Operators' lists read many accounts from indexes alone, which takes recently vacuumed pages.
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
create index accounts_to_erase on accounts (deleted_at) where deleted_at is not null and erased_at is null;
create index accounts_with_auto_purchase on accounts (id) where auto_purchase_enabled;
create index accounts_with_low_balance_notice on accounts (id) where low_balance_threshold is not null;
create index accounts_suspended on accounts (id) where suspended_at is not null and deleted_at is null;
create index accounts_deleted on accounts (id) where deleted_at is not null;
-- In the orders of the list, so that a page far from its beginning reads no other rows.
create index accounts_by_email on accounts (email asc nulls last, id desc);
create index accounts_by_email_desc on accounts (email desc nulls last, id desc);
create index accounts_by_phone on accounts (phone_number);
-- Without the extension pg_trgm, a search for a part of a text reads every account.
do $$ begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index accounts_by_text on accounts using gin (search_text gin_trgm_ops);
  end if;
end $$;

-- Keyed hashes of the numbers that welcome credits were given for. They outlive the account and the erasure of the number.
create table welcome_numbers (
  fingerprint bytea primary key,
  created_at timestamptz not null
);

-- A session is a family of refresh tokens. Each use of a token makes its successor; only the newest is valid.
create table sessions (
  id uuid primary key,
  account_id uuid not null references accounts,
  -- SHA-256 of the newest refresh token, and of the one it replaced
  refresh_hash bytea not null,
  parent_hash bytea,
  rotated_at timestamptz,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  ip_address inet,
  user_agent text,
  -- when the user last proved who they are in this session: at its sign-in, or when a change asked for it
  proven_at timestamptz
);
create index sessions_of_account on sessions (account_id, id);
create index sessions_by_expiry on sessions (expires_at);

-- What a session_token stands for: an action that waits for a code. Removed once it is done or its tries are used up.
create table challenges (
  id uuid primary key,
  -- SHA-256
  token_hash bytea not null unique,
  purpose text not null check (purpose in ('sign_in', 'sign_up', 'reset_password', 'phone', 'step_up', 'email_change')),
  -- null for sign-ups, and for an address that belongs to no account
  account_id uuid references accounts,
  -- keyed; sealed holds the code, its recipient and what it completes
  code_hmac bytea not null,
  sealed bytea not null,
  code_expires_at timestamptz not null,
  tries smallint not null default 0,
  resends smallint not null default 0,
  last_sent_at timestamptz not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index challenges_of_account on challenges (account_id) where account_id is not null;
create index challenges_by_expiry on challenges (expires_at);

-- Wrong codes of an account over all its sessions. The row also serialises code entry.
create table code_entries (
  account_id uuid primary key references accounts,
  failures timestamptz[] not null default '{}',
  locked_until timestamptz
) with (fillfactor = 50);

-- Networks that an account signed in from. Strangers cannot use up the tries of a known network.
create table account_networks (
  account_id uuid not null references accounts,
  -- /24 of IPv4, /56 of IPv6
  network inet not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  -- wrong codes from this network within the last hour; code_entries has those from unknown networks
  wrong_codes timestamptz[] not null default '{}',
  codes_locked_until timestamptz,
  primary key (account_id, network)
) with (fillfactor = 70);
create index account_networks_by_last_use on account_networks (last_seen_at);

-- Devices that an account signed in from, as keyed hashes of their traits. The first sign-in of a new one sends a mail.
create table account_devices (
  account_id uuid not null references accounts,
  device_hash bytea not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  mailed_at timestamptz,
  primary key (account_id, device_hash)
);
create index account_devices_old on account_devices (last_seen_at);

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

-- Texts that the dashboard sent, by what a limit counts. Logged, so that a crash resets no limit. A key is a keyed hash; no
-- row holds a number or an address.
create table own_sms (
  key bytea primary key,
  -- when a text was counted, within the limit's window, oldest first
  times timestamptz[] not null default '{}',
  -- the thing counted at each of these times, for a limit that counts different things instead of texts
  items bytea[] not null default '{}',
  -- the row is of no use after this
  until timestamptz not null
) with (fillfactor = 50);
create index own_sms_by_end on own_sms (until);

-- How often an action was tried within its window. The key is a keyed hash of action, caller and origin. Unlogged: a crash of
-- the database resets these limits.
create unlogged table throttles (
  key bytea primary key,
  used integer not null,
  until timestamptz not null
) with (fillfactor = 50);
create index throttles_by_end on throttles (until);

-- Authenticator apps (RFC 6238), at most one per account.
create table authenticators (
  account_id uuid primary key references accounts,
  -- the secret, sealed
  sealed bytea not null,
  created_at timestamptz not null,
  -- null until the first code of the app was entered
  confirmed_at timestamptz,
  -- the time step of the newest accepted code: each code counts once
  last_step bigint not null default 0,
  last_used_at timestamptz
);
create index authenticators_unconfirmed on authenticators (created_at) where confirmed_at is null;

-- Codes that replace the second factor, each once. A used code is deleted.
create table recovery_codes (
  account_id uuid not null references accounts,
  -- keyed
  hash bytea not null,
  created_at timestamptz not null,
  primary key (account_id, hash)
);

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
  last_used_at timestamptz,
  -- can be synchronised between devices, as the authenticator reports it ("backup eligible"); then its counter does not decide,
  -- because each device may count separately
  is_syncable boolean not null default false,
  -- when its counter last failed to grow, which may be the sign of a copy
  suspected_at timestamptz
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
