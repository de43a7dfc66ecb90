-- Recipients that an account knows, because a code was verified or because it imported them. The hash is that of recipient_sends.
-- known_on is the latest day of either; verified_since the time of the first verified code, null if there was none.
create table known_recipients (
  account_id uuid not null,
  hash bytea not null,
  known_on date not null,
  verified_since timestamptz,
  is_imported boolean not null,
  primary key (account_id, hash)
);
create index known_recipients_by_day on known_recipients (account_id, known_on);

alter table protection_settings add known_days smallint;

-- How a send passed the rules on destinations because its recipient is known: verified or imported.
alter table verifications add known text;

-- Sends about which rules objected, summed by minute. findings has the rules with their figures at the first of them.
create table protection_decisions (
  account_id uuid not null,
  id uuid not null,
  at timestamptz not null,
  last_at timestamptz not null,
  sends integer not null,
  outcome text not null,
  exemption text,
  rule text not null,
  findings jsonb not null,
  api_key_id uuid,
  prefix text not null,
  country text not null,
  client text not null,
  strictest boolean,
  loosest boolean,
  primary key (account_id, id)
);
create index protection_decisions_by_time on protection_decisions using brin (at);
