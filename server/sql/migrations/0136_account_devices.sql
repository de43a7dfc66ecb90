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
