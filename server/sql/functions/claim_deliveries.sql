-- The previous version's call of claim_messages, for a rolling restart. The next release drops it.
create or replace function claim_deliveries(worker uuid, token uuid, wanted jsonb) returns table (
  id uuid, account_id uuid, channel text, sealed bytea, expires_at timestamptz, claim uuid, carrier text,
  refused_by text[], uncertain smallint, tries smallint, recipient text, status text, cost_credits smallint,
  message text, subject text, sender_name text, reply_to_email text, default_message text, default_subject text,
  seconds integer, now_ms bigint
)
language sql volatile
as $$
  select c.id, c.account_id, c.channel, c.sealed, c.expires_at, c.claim, c.carrier, c.refused_by, c.uncertain, c.tries,
    c.recipient, c.status, c.cost_credits, t.message, t.subject, t.sender_name, t.reply_to_email, t.default_message,
    t.default_subject, c.seconds, c.now_ms
  from claim_messages(worker, token, wanted) c
  cross join lateral json_to_record(c.texts) as t (message text, subject text, sender_name text, reply_to_email text,
    default_message text, default_subject text)
$$;
