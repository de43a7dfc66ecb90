-- Lists of millions of rows answer at once, and a verification takes less room.

-- Lists also order by what was asked and what it cost, so days are counted by that too, under a name of their own: a process
-- of the version before may still count its way.
alter table daily_counts
  add column request_type text not null default '',
  add column credits smallint not null default 0,
  drop constraint daily_counts_pkey,
  add primary key (account_id, list, day, api_key_id, outcome, request_type, credits),
  drop constraint daily_counts_list_check,
  add constraint daily_counts_list_check check (list in ('verifications', 'requests', 'request_logs'));
delete from daily_counts where list = 'request_logs';
delete from counted_days where list = 'request_logs';

-- Tenths of a millisecond, as whole numbers, so that equal ones share an entry. The day comes before
-- the id, which it agrees with, since ids would share none.
create index request_logs_by_duration on request_logs
  (account_id, ((response_time_ms * 10)::integer), ((created_at at time zone 'UTC')::date) desc);
create index request_logs_of_key_by_duration on request_logs
  (api_key_id, ((response_time_ms * 10)::integer), ((created_at at time zone 'UTC')::date) desc);
create index request_logs_by_status_code on request_logs (account_id, response_status_code);

-- A search for part of a recipient finds it in finished months by its trigrams; the service makes those indexes when a month
-- is over. Without the extension such a search reads the rows.
do $$ begin
  create extension if not exists pg_trgm;
exception when others then
  raise notice 'pg_trgm is not to be had: searches read all rows (%)', sqlerrm;
end $$;

-- What the rest of a row says already is not stored: the first line of a history, the id of a line, the method and the endpoint
-- of a request where they are the usual ones, and its id where the row has the same.
alter table verifications add column ip_address inet;
alter table status_history drop constraint status_history_pkey, drop column id;
create index status_history_of_verification on status_history (otp_id);
alter table request_logs
  alter column method drop not null, alter column endpoint drop not null, alter column request_id drop not null;

-- The kind first: entries of one kind come in the order of time, and only a key of several columns then fills its pages.
alter table ledger drop constraint ledger_reference, add constraint ledger_reference unique (kind, reference);

create or replace function write_sends(sends json, recipient_rows json, answers json) returns void language sql volatile set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  with s as materialized (
    select * from json_to_recordset(sends) as s (
      account_id uuid, id uuid, api_key_id uuid, channel text, recipient text, message text, subject text,
      code_length smallint, code_hmac bytea, code_sealed bytea, at timestamptz, expires_at timestamptz,
      ledger_id uuid, log_id uuid, ip_address inet, ms real)
  ), verification as (
    insert into verifications (account_id, id, api_key_id, channel, recipient, status, cost_credits, message, subject,
      code_length, code_hmac, created_at, expires_at, ip_address)
    select account_id, id, api_key_id, channel, recipient, 'pending', 1, message, subject,
      code_length, code_hmac, at, expires_at, ip_address from s
  ), entry as (
    insert into ledger (account_id, id, kind, reference, credits, description, created_at)
    select account_id, ledger_id, 'usage', 'usage:' || id, -1,
      case channel when 'sms' then 'SMS verification' when 'voice' then 'Voice verification' else 'Email verification' end, at
    from s
  ), paid as (
    update balances b set credits = b.credits - n.n
    from (select account_id, count(*)::integer as n from s group by account_id) n where b.account_id = n.account_id
  ), queued as (
    insert into deliveries (id, account_id, channel, sealed, run_at, expires_at)
    select id, account_id, channel, code_sealed, at, expires_at from s
  ), logged as (
    insert into request_logs (account_id, id, api_key_id, request_type, response_status_code, response_time_ms, credits_used,
      channel, recipient, otp_id, ip_address, created_at)
    select account_id, log_id, api_key_id, 'send_otp', 201, ms, 1, channel, recipient, id, ip_address, at from s
  ), answered as (
    insert into idempotency_keys (account_id, endpoint, key, request, status, response, created_at)
    select account_id, endpoint, key, request, status, response, clock_now()
    from json_to_recordset(answers) as a (account_id uuid, endpoint text, key bytea, request bytea, status smallint, response json)
    on conflict (account_id, endpoint, key) do update set
      request = excluded.request, status = excluded.status, response = excluded.response, created_at = excluded.created_at
  )
  insert into recipients as r (account_id, recipient, code_hmac, code_sealed, code_length, code_first_sent_at, code_until,
    open_until, open_ids, tries_used, sends, touched_at)
  select account_id, recipient, code_hmac, code_sealed, code_length, code_first_sent_at, code_until, open_until,
    open_ids, tries_used, sends, clock_now()
  from json_to_recordset(recipient_rows) as n (account_id uuid, recipient text, code_hmac bytea, code_sealed bytea,
    code_length smallint, code_first_sent_at timestamptz, code_until timestamptz, open_until timestamptz, open_ids uuid[],
    tries_used smallint, sends bigint[])
  on conflict (account_id, recipient) do update set
    code_hmac = excluded.code_hmac, code_sealed = excluded.code_sealed, code_length = excluded.code_length,
    code_first_sent_at = excluded.code_first_sent_at, code_until = excluded.code_until, open_until = excluded.open_until,
    open_ids = excluded.open_ids, tries_used = excluded.tries_used, sends = excluded.sends, touched_at = excluded.touched_at
$$;

create or replace function apply_changes(changes json) returns table (id uuid, previous_status text, status text, refunded boolean)
language plpgsql volatile set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
begin
  perform 1 from balances b where b.account_id = any (array(
      select c.account_id from json_to_recordset(changes) as c (account_id uuid, refund boolean) where c.refund))
    order by b.account_id for update;
  perform lock_verifications(array(select c.id from json_to_recordset(changes) as c (id uuid)));
  return query
  with c as materialized (
    select c.*, v.previous, v.had_cost, v.was_delivered_at from (
      select * from json_to_recordset(changes) as c (
        account_id uuid, id uuid, allowed text[], "to" text, note text, ip inet, closed_by text, failure text, event text,
        refund boolean, wipe boolean, dequeue boolean, sent boolean, delivered boolean, verified boolean, carrier text,
        provider_message_id text)
      order by id
    ) c
    cross join lateral (
      select v.status as previous, v.cost_credits as had_cost, v.delivered_at as was_delivered_at
      from verifications v where v.account_id = c.account_id and v.id = c.id offset 0) v
  ), changed as (
    update verifications v set
      status = coalesce(c."to", v.status),
      closed_by = coalesce(c.closed_by, v.closed_by),
      failure = case when c.failure is not null and c."to" = 'failed' then c.failure
                     when c."to" = 'verified' then null else v.failure end,
      code_hmac = case when c.wipe then null else v.code_hmac end,
      cost_credits = case when c.refund then 0 else v.cost_credits end,
      sent_at = case when c.sent then coalesce(v.sent_at, clock_now()) else v.sent_at end,
      delivered_at = case when c.delivered then coalesce(v.delivered_at, clock_now()) else v.delivered_at end,
      verified_at = case when c.verified then coalesce(v.verified_at, clock_now()) else v.verified_at end,
      carrier = coalesce(c.carrier, v.carrier),
      provider_message_id = coalesce(c.provider_message_id, v.provider_message_id)
    from c
    where v.account_id = c.account_id and v.id = c.id
      and c.previous = any (c.allowed)
      and not (coalesce(c.delivered, false) and c.was_delivered_at is not null)
    returning v.*, c.previous as was, c.had_cost, c."to" as target, c.note, c.ip, c.event, c.refund, c.dequeue
  ), history as (
    insert into status_history (account_id, otp_id, previous_status, new_status, changed_at, ip_address, notes)
    select account_id, id, was, changed.status, clock_now(), ip, note from changed
    where target is not null or note is not null
  ), refunds as (
    insert into ledger (account_id, id, kind, reference, credits, description, created_at)
    select account_id, new_uuid(), 'refund', 'refund:' || id, had_cost, 'Refund: verification not delivered', clock_now()
    from changed where refund and had_cost > 0
    on conflict (kind, reference) do nothing
    returning account_id, credits, reference
  ), credited as (
    update balances b set credits = b.credits + greatest(0, n.n - b.debt), debt = greatest(0, b.debt - n.n)
    from (select account_id, sum(credits)::integer as n from refunds group by account_id) n
    where b.account_id = n.account_id
  ), dequeued as (
    delete from deliveries d using changed where d.id = changed.id and changed.dequeue and d.worker_id is null
  ), told as (
    insert into webhook_messages (id, account_id, endpoint_id, type, otp_id, body, created_at)
    -- the contract's WebhookMessage
    select new_uuid(), x.account_id, e.id, 'otp.' || x.event, x.id, jsonb_build_object(
        'type', 'otp.' || x.event,
        'timestamp', iso(clock_now()),
        'data', jsonb_build_object(
          'otp_id', x.id, 'status', x.status, 'previous_status', x.was, 'channel', x.channel, 'recipient', x.recipient,
          'api_key', jsonb_build_object('id', x.api_key_id, 'name', k.name),
          'created_at', iso(x.created_at), 'expires_at', iso(x.expires_at), 'sent_at', iso(x.sent_at),
          'delivered_at', iso(x.delivered_at), 'verified_at', iso(x.verified_at),
          'cost_credits', x.cost_credits, 'failure', x.failure)),
      clock_now()
    from changed x
    cross join lateral (
      select e.id from webhook_endpoints e where e.account_id = x.account_id and e.is_active and case x.event
        when 'sent' then e.send_on_sent when 'delivered' then e.send_on_delivered when 'failed' then e.send_on_failed
        when 'verified' then e.send_on_verified when 'expired' then e.send_on_expired else false end offset 0) e
    cross join lateral (select k.name from api_keys k where k.id = x.api_key_id offset 0) k
    where x.event is not null
    returning webhook_messages.id, webhook_messages.endpoint_id, webhook_messages.account_id
  ), to_deliver as (
    insert into webhook_deliveries (id, endpoint_id, account_id, run_at)
    select t.id, t.endpoint_id, t.account_id, clock_now() from told t
  )
  select changed.id, changed.was, changed.status, coalesce(changed.refund and changed.had_cost > 0, false) from changed;
end $$;

create or replace function write_verifies(recipient_rows json, changes json, answers json, logs json) returns void
language plpgsql volatile set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  update recipients r set tries_used = n.tries_used, open_ids = n.open_ids,
      code_hmac = case when cardinality(n.open_ids) = 0 then null else r.code_hmac end,
      code_sealed = case when cardinality(n.open_ids) = 0 then null else r.code_sealed end,
      open_until = case when cardinality(n.open_ids) = 0 then null else r.open_until end,
      touched_at = clock_now()
    from json_to_recordset(recipient_rows) as n (account_id uuid, recipient text, tries_used smallint, open_ids uuid[])
    where r.account_id = n.account_id and r.recipient = n.recipient;
  perform apply_changes(changes);
  insert into idempotency_keys (account_id, endpoint, key, request, status, response, created_at)
    select account_id, endpoint, key, request, status, response, clock_now()
    from json_to_recordset(answers) as a (account_id uuid, endpoint text, key bytea, request bytea, status smallint, response json)
    on conflict (account_id, endpoint, key) do update set
      request = excluded.request, status = excluded.status, response = excluded.response, created_at = excluded.created_at;
  insert into request_logs (account_id, id, api_key_id, request_type, response_status_code, response_time_ms, channel,
      recipient, otp_id, ip_address, reason, created_at)
    select account_id, id, api_key_id, 'verify_otp', status, ms, channel, recipient, otp_id, ip_address, reason, clock_now()
    from json_to_recordset(logs) as l (account_id uuid, id uuid, api_key_id uuid, status smallint, ms real, channel text,
      recipient text, otp_id uuid, ip_address inet, reason text);
end $$;
