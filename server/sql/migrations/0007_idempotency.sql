create table idempotency_keys (
  account_id uuid not null,
  endpoint text not null,
  -- SHA-256 of the key
  key bytea not null,
  -- keyed: the body may hold a code
  request bytea not null,
  -- null while the first request is in flight (purchases)
  status smallint,
  -- as text: a repeated request gets the same bytes
  response json,
  created_at timestamptz not null,
  primary key (account_id, endpoint, key)
);
create index idempotency_keys_by_age on idempotency_keys using brin (created_at);
