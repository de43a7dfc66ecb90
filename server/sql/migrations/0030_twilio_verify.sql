-- What Twilio Verify's calls add to sends: services, rate limits, and the verification that groups the sends to one recipient.

create table twilio_services (
  id uuid primary key,
  account_id uuid not null references accounts,
  friendly_name text not null,
  code_length smallint not null check (code_length between 4 and 10),
  -- the other settings that callers may change, as they are named in requests
  settings jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index twilio_services_of_account on twilio_services (account_id, id);

create table twilio_rate_limits (
  id uuid primary key,
  account_id uuid not null references accounts,
  service_id uuid not null references twilio_services on delete cascade,
  unique_name text not null,
  description text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (service_id, unique_name)
);

create table twilio_buckets (
  id uuid primary key,
  account_id uuid not null references accounts,
  rate_limit_id uuid not null references twilio_rate_limits on delete cascade,
  most integer not null check (most > 0),
  interval_seconds integer not null check (interval_seconds > 0),
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index twilio_buckets_of_rate_limit on twilio_buckets (rate_limit_id, id);

-- Sends in the current interval of a bucket, by a keyed hash of the caller's value, such as an end user's address.
create table twilio_bucket_counts (
  bucket_id uuid not null references twilio_buckets on delete cascade,
  value_hash bytea not null,
  used integer not null,
  ends_at timestamptz not null,
  primary key (bucket_id, value_hash)
);
create index twilio_bucket_counts_ended on twilio_bucket_counts (ends_at);

-- The sends of a service to one recipient, until one ends them.
create table twilio_verifications (
  id uuid primary key,
  account_id uuid not null references accounts,
  service_id uuid not null,
  -- as removed recipients are hashed
  recipient_hash bytea not null,
  is_test boolean not null,
  own_code boolean not null,
  created_at timestamptz not null,
  -- without a code
  approved_at timestamptz
);
create index twilio_verifications_of_account on twilio_verifications (account_id, id);
create index twilio_verifications_by_recipient on twilio_verifications (recipient_hash, account_id, service_id, id);

-- A send of a verification. It is written before the send, and deleted if that is refused.
create table twilio_attempts (
  otp_id uuid primary key,
  account_id uuid not null references accounts,
  service_id uuid not null,
  verification_id uuid not null references twilio_verifications on delete cascade,
  is_test boolean not null
);
create index twilio_attempts_of_account on twilio_attempts (account_id, otp_id);
create index twilio_attempts_of_verification on twilio_attempts (verification_id);

-- Changes of an account's safe list on one day, each of which is in the audit log.
create table twilio_safe_list_changes (
  account_id uuid primary key references accounts,
  day date not null,
  changes integer not null
);
