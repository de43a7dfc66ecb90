-- The inbox that stands in for carriers in a sandbox.
create table sandbox_messages (
  id uuid primary key,
  channel text not null,
  recipient text not null,
  subject text,
  text text not null,
  html text,
  code text,
  created_at timestamptz not null
);
create index sandbox_messages_of_recipient on sandbox_messages (recipient, id);
