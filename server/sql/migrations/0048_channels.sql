-- Recipients that a channel does not reach, such as numbers without WhatsApp. The hash is keyed.
create table unreachable_recipients (
  channel text not null,
  recipient_hash bytea not null,
  created_at timestamptz not null,
  primary key (channel, recipient_hash)
);
create index unreachable_recipients_created on unreachable_recipients (created_at);
