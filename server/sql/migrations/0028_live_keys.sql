-- Who may create, change and rotate the API keys of an account. An account without a row has the default.
create table key_rules (
  account_id uuid primary key references accounts (id),
  live_keys_need_admin boolean not null
);
