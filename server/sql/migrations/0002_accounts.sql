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
  erased_at timestamptz
);
create index accounts_to_erase on accounts (deleted_at) where deleted_at is not null and erased_at is null;
create index accounts_with_auto_purchase on accounts (id) where auto_purchase_enabled;
create index accounts_with_low_balance_notice on accounts (id) where low_balance_threshold is not null;

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
  user_agent text
);
create index sessions_of_account on sessions (account_id, id);
create index sessions_by_expiry on sessions (expires_at);

-- What a session_token stands for: an action that waits for a code. Removed once it is done or its tries are used up.
create table challenges (
  id uuid primary key,
  -- SHA-256
  token_hash bytea not null unique,
  purpose text not null check (purpose in ('sign_in', 'sign_up', 'reset_password', 'phone')),
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

-- Dashboard calls of an account in its current second, over all processes. Unlogged: a crash resets the count of one second.
create unlogged table account_rates (
  account_id uuid primary key,
  second bigint not null,
  used integer not null
) with (fillfactor = 30);
