-- The SECRET_KEY of each running process, by its id (service_facts.secret_key_id), so that a new key is used only once every process
-- has it. Processes fill it again within a second after a crash.
create unlogged table server_key_holders (
  id uuid primary key,
  key_id text not null,
  since timestamptz not null,
  seen_at timestamptz not null
);
