-- Named texts of accounts: texts is [{channel, locale, text, subject}]. The ids are those of India's register (DLT).
create table templates (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  name text not null,
  texts jsonb not null,
  dlt_entity_id text,
  dlt_template_id text,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (account_id, name)
);

-- The template of a send, with the version of its text. dlt is {entity_id, template_id}.
alter table verifications add template text, add template_version integer, add dlt jsonb;
