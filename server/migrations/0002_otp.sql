-- What sends, verifies and carriers do to the tables, each batch in one or two round trips. Locks are always taken in
-- this order: balances by account, recipients (advisory) by key, verifications by id.

-- ISO 8601 UTC with milliseconds, as on the wire.
create function iso(at timestamptz) returns text language sql immutable strict parallel safe as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- One request of a key, in batches: finds live keys by hash, counts them into the current second over all processes, and
-- answers what a send needs of the account. `used` is the count after the whole batch, of which `asked` are this batch's.
create function admit_keys(hashes bytea[]) returns table (
  hash bytea, api_key_id uuid, account_id uuid, name text, asked integer, used integer, second bigint,
  default_otp_length smallint, default_expiry_seconds integer, default_message text
) language sql volatile as $$
  with requests as (
    select r.hash, count(*)::integer as asked from unnest(hashes) as r (hash) group by r.hash
  ), live as (
    select r.hash, r.asked, k.id, k.account_id, k.name, a.default_otp_length, a.default_expiry_seconds,
      a.default_message
    from requests r
    join api_keys k on k.hash = r.hash and k.deleted_at is null
    join accounts a on a.id = k.account_id and a.deleted_at is null
  ), counted as (
    insert into key_rates as rate (api_key_id, second, used)
    select id, floor(extract(epoch from clock_now()))::bigint, asked from live order by id
    on conflict (api_key_id) do update set
      used = case when rate.second >= excluded.second then rate.used + excluded.used else excluded.used end,
      second = greatest(rate.second, excluded.second)
    returning rate.api_key_id, rate.used, rate.second
  )
  select l.hash, l.id, l.account_id, l.name, l.asked, c.used, c.second, l.default_otp_length, l.default_expiry_seconds,
    l.default_message
  from live l join counted c on c.api_key_id = l.id
$$;

-- What earlier requests with the same idempotency keys were answered, in the last 24 hours.
create function idempotent_answers(items json) returns json language sql stable as $$
  select json_agg(json_build_object('account_id', i.account_id, 'key', i.idempotency_key, 'request', k.request,
      'status', k.status, 'response', k.response))
    from (select distinct i.account_id, i.idempotency_key, i.endpoint
          from json_to_recordset(items) as i (account_id uuid, idempotency_key bytea, endpoint text)
          where i.idempotency_key is not null) i
    cross join lateral (
      select * from idempotency_keys k where k.account_id = i.account_id and k.endpoint = i.endpoint
        and k.key = i.idempotency_key and k.created_at > clock_now() - interval '24 hours' offset 0) k
$$;

-- First half of a batch of sends: locks its accounts and recipients, then reads with fresh snapshots what decides.
-- items: [{account_id, recipient, opt_out: [hex]? (sms only; one under each server key), idempotency_key (hex)?, endpoint?,
-- id?}]
create function lock_sends(items json, keyed boolean, retry boolean) returns json language plpgsql volatile set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  account_ids uuid[] := array(select distinct i.account_id from json_to_recordset(items) as i (account_id uuid));
  accounts_found json;
  recipients_found json;
  opted_out json;
  answered json;
  written json;
begin
  perform 1 from balances b where b.account_id = any (account_ids) order by b.account_id for update;
  perform pg_advisory_xact_lock(k.key) from (
    select distinct hashtextextended(i.account_id || i.recipient, 6) as key
    from json_to_recordset(items) as i (account_id text, recipient text) order by 1
  ) k;
  select json_agg(json_build_object('account_id', b.account_id, 'credits', b.credits, 'debt', b.debt)) into accounts_found
    from balances b where b.account_id = any (account_ids);
  select json_agg(json_build_object(
      'account_id', r.account_id, 'recipient', r.recipient,
      'code_hmac', r.code_hmac, 'code_sealed', r.code_sealed, 'code_length', r.code_length,
      'code_first_sent_ms', floor(extract(epoch from r.code_first_sent_at) * 1000)::bigint,
      'open_until_ms', floor(extract(epoch from r.open_until) * 1000)::bigint,
      'open_ids', r.open_ids, 'tries_used', r.tries_used, 'sends', r.sends)) into recipients_found
    from (select distinct i.account_id, i.recipient
          from json_to_recordset(items) as i (account_id uuid, recipient text)) i
    cross join lateral (select * from recipients r where r.account_id = i.account_id and r.recipient = i.recipient offset 0) r;
  select json_agg(o.fingerprint) into opted_out
    from opt_outs o where o.fingerprint = any (array(
      select o.o from json_to_recordset(items) as i (opt_out bytea[]) cross join unnest(i.opt_out) as o (o)));
  if keyed then
    answered := idempotent_answers(items);
  end if;
  if retry then
    select json_agg(v.id) into written from json_to_recordset(items) as i (account_id uuid, id uuid)
      cross join lateral (select v.id from verifications v where v.account_id = i.account_id and v.id = i.id offset 0) v;
  end if;
  return json_build_object('now_ms', floor(extract(epoch from clock_now()) * 1000)::bigint,
    'accounts', accounts_found, 'recipients', recipients_found, 'opted_out', opted_out, 'answered', answered,
    'written', written);
end $$;

-- Second half: writes what was decided. Everything a send leaves behind is here, in one statement.
create function write_sends(sends json, recipient_rows json, answers json) returns void language sql volatile set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  with s as materialized (
    select * from json_to_recordset(sends) as s (
      account_id uuid, id uuid, api_key_id uuid, channel text, recipient text, message text, subject text,
      code_length smallint, code_hmac bytea, code_sealed bytea, at timestamptz, expires_at timestamptz,
      history_id uuid, ledger_id uuid, log_id uuid, request_id uuid, endpoint text, ip_address inet, ms real)
  ), verification as (
    insert into verifications (account_id, id, api_key_id, channel, recipient, status, cost_credits, message, subject,
      code_length, code_hmac, created_at, expires_at)
    select account_id, id, api_key_id, channel, recipient, 'pending', 1, message, subject,
      code_length, code_hmac, at, expires_at from s
  ), history as (
    insert into status_history (account_id, otp_id, id, previous_status, new_status, changed_at, ip_address)
    select account_id, id, history_id, null, 'pending', at, ip_address from s
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
    insert into request_logs (account_id, id, api_key_id, request_type, method, endpoint, response_status_code,
      response_time_ms, credits_used, channel, recipient, otp_id, ip_address, request_id, created_at)
    select account_id, log_id, api_key_id, 'send_otp', 'POST', endpoint, 201, ms, 1, channel, recipient, id, ip_address,
      request_id, at from s
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

-- Whoever changes verifications first takes these locks, in one order. They are not row locks, so that the statement that
-- follows sees rows that nobody is changing and never has to look at one twice: PostgreSQL 18 can crash where such a second
-- look meets partitions that are pruned while it runs.
create function lock_verifications(ids uuid[]) returns void language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(k.key) from (
    select distinct hashtextextended(i.id::text, 7) as key from unnest(ids) as i (id) order by 1) k;
end $$;

-- Moves verifications, each by a guarded update, with its history row, its webhook messages, its refund and the end of its
-- delivery in the same statement. changes: [{
--   account_id, id,
--   allowed: [statuses it may have],   to: new status, or null to keep it,
--   note, ip, closed_by, failure,
--   event: sent | delivered | failed | verified | expired, or null,
--   refund: give the credit back once,  wipe: it can no longer verify,  dequeue: it need not be sent any more,
--   sent, delivered, verified: set that time if it is not set,  carrier, provider_message_id
-- }], each verification once. Answers what changed.
create function apply_changes(changes json) returns table (id uuid, previous_status text, status text, refunded boolean)
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
    insert into status_history (account_id, otp_id, id, previous_status, new_status, changed_at, ip_address, notes)
    select account_id, id, new_uuid(), was, changed.status, clock_now(), ip, note from changed
    where target is not null or note is not null
  ), refunds as (
    insert into ledger (account_id, id, kind, reference, credits, description, created_at)
    select account_id, new_uuid(), 'refund', 'refund:' || id, had_cost, 'Refund: verification not delivered', clock_now()
    from changed where refund and had_cost > 0
    on conflict (reference) do nothing
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

-- First half of a batch of verifies: locks the recipients of the verifications named, and the idempotency keys, which may
-- come with different ones; then reads them and their open siblings. items: [{account_id, otp_id, idempotency_key (hex)?, endpoint?}]
create function lock_verifies(items json, keyed boolean) returns json language plpgsql volatile set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  found json;
  recipients_found json;
  siblings json;
  answered json;
  several uuid[];
  accounts_of_several uuid[];
begin
  perform pg_advisory_xact_lock(k.key) from (
    select distinct hashtextextended(v.account_id || v.recipient, 6) as key
    from json_to_recordset(items) as i (account_id uuid, otp_id uuid)
    cross join lateral (
      select v.account_id, v.recipient from verifications v where v.account_id = i.account_id and v.id = i.otp_id offset 0) v
    order by 1
  ) k;
  if keyed then
    perform pg_advisory_xact_lock(k.key) from (
      select distinct hashtextextended(i.account_id || i.idempotency_key, 8) as key
      from json_to_recordset(items) as i (account_id text, idempotency_key text)
      where i.idempotency_key is not null order by 1
    ) k;
  end if;
  with asked as materialized (
    select v.* from (
      select distinct i.account_id, i.otp_id from json_to_recordset(items) as i (account_id uuid, otp_id uuid)) i
    cross join lateral (select * from verifications v where v.account_id = i.account_id and v.id = i.otp_id offset 0) v
  ), theirs as materialized (
    select r.* from (select distinct account_id, recipient from asked) a
    cross join lateral (
      select r.account_id, r.recipient, r.open_ids, r.tries_used from recipients r
      where r.account_id = a.account_id and r.recipient = a.recipient offset 0) r
  )
  select (select json_agg(json_build_object('account_id', v.account_id, 'id', v.id, 'recipient', v.recipient,
        'channel', v.channel, 'status', v.status, 'closed_by', v.closed_by, 'code_hmac', v.code_hmac,
        'code_length', v.code_length, 'expires_ms', floor(extract(epoch from v.expires_at) * 1000)::bigint)) from asked v),
      (select json_agg(r) from theirs r),
      array(select o.id from theirs r cross join lateral unnest(r.open_ids) as o (id) where cardinality(r.open_ids) > 1
        order by r.account_id, o.id),
      array(select r.account_id from theirs r cross join lateral unnest(r.open_ids) as o (id)
        where cardinality(r.open_ids) > 1 order by r.account_id, o.id)
    into found, recipients_found, several, accounts_of_several;
  if cardinality(several) > 0 then
    select json_agg(json_build_object('account_id', v.account_id, 'id', v.id, 'recipient', v.recipient, 'channel', v.channel,
        'status', v.status, 'closed_by', v.closed_by, 'code_hmac', v.code_hmac, 'code_length', v.code_length,
        'expires_ms', floor(extract(epoch from v.expires_at) * 1000)::bigint)) into siblings
      from unnest(accounts_of_several, several) as o (account_id, id)
      cross join lateral (select * from verifications v where v.account_id = o.account_id and v.id = o.id offset 0) v;
  end if;
  if keyed then
    answered := idempotent_answers(items);
  end if;
  return json_build_object('now_ms', floor(extract(epoch from clock_now()) * 1000)::bigint,
    'verifications', found, 'recipients', recipients_found, 'siblings', siblings, 'answered', answered);
end $$;

-- Second half: tries counted, closed recipients cleared, verifications moved, answers kept, requests logged.
create function write_verifies(recipient_rows json, changes json, answers json, logs json) returns void
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
  insert into request_logs (account_id, id, api_key_id, request_type, method, endpoint, response_status_code,
      response_time_ms, channel, recipient, otp_id, ip_address, request_id, reason, created_at)
    select account_id, id, api_key_id, 'verify_otp', 'POST', endpoint, status, ms, channel, recipient, otp_id, ip_address,
      request_id, reason, clock_now()
    from json_to_recordset(logs) as l (account_id uuid, id uuid, api_key_id uuid, endpoint text, status smallint, ms real,
      channel text, recipient text, otp_id uuid, ip_address inet, request_id uuid, reason text);
end $$;

-- Ends what time has ended: pending ones were not handed over and fail with their credit back, sent ones expire. What a worker
-- has in its hands is left to it. One process at a time; answers how many it looked at.
create function sweep_expired(most integer) returns integer language plpgsql volatile set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  due json;
  n integer;
begin
  if not pg_try_advisory_xact_lock(7365706) then return 0; end if;
  select count(*), json_agg(case v.status
      when 'pending' then json_build_object('account_id', v.account_id, 'id', v.id, 'allowed', '{pending}'::text[],
        'to', 'failed', 'event', 'failed', 'refund', true, 'wipe', true, 'dequeue', true,
        'failure', v.why, 'note', v.why)
      when 'sent' then json_build_object('account_id', v.account_id, 'id', v.id, 'allowed', '{sent}'::text[],
        'to', 'expired', 'event', 'expired', 'wipe', true)
      else json_build_object('account_id', v.account_id, 'id', v.id, 'allowed', array[v.status], 'wipe', true) end)
    into n, due
    from (
      select v.account_id, v.id, v.status, case
          when exists (select from deliveries d where d.id = v.id and d.carrier is null and d.uncertain = 0)
            then 'Not handed to a carrier before it expired'
          else 'No carrier confirmed it before it expired' end as why
      from verifications v
      where v.code_hmac is not null and v.expires_at <= clock_now()
        and not exists (select from deliveries d where d.id = v.id and d.worker_id is not null)
      order by v.expires_at limit most
    ) v;
  if n > 0 then perform apply_changes(due); end if;
  return n;
end $$;

-- Wipes sealed codes that can no longer be sent.
create function wipe_codes(most integer) returns integer language sql volatile as $$
  with stale as (
    select account_id, recipient from recipients
    where code_sealed is not null and code_until <= clock_now() limit most for update skip locked
  ), wiped as (
    update recipients r set code_sealed = null, code_hmac = null from stale s
    where r.account_id = s.account_id and r.recipient = s.recipient returning 1
  )
  select count(*)::integer from wiped
$$;

-- Claims messages that are due, as many as the worker has hands for, and says to which carrier each goes: so that whatever
-- happens next, everybody knows which carrier may have it. healthy: {"sms": ["twilio", …], …} in the order to try;
-- channels: only of these, null for all.
create function claim_deliveries(worker uuid, token uuid, most integer, healthy jsonb, channels text[]) returns table (
  id uuid, account_id uuid, channel text, sealed bytea, expires_at timestamptz, claim uuid, carrier text,
  refused_by text[], uncertain smallint, tries smallint, recipient text, status text, cost_credits smallint,
  message text, subject text, sender_name text, reply_to_email text, default_message text, default_subject text,
  seconds integer, now_ms bigint
) language sql volatile as $$
  with due as (
    select d.id from deliveries d where d.worker_id is null and d.run_at <= clock_now()
      and (channels is null or d.channel = any (channels))
    order by d.run_at limit most for update skip locked
  ), claimed as (
    update deliveries d set worker_id = worker, claim = token, claimed_at = clock_timestamp(), tries = d.tries + 1,
      carrier = case when d.carrier is not null and not d.carrier = any (d.refused_by) then d.carrier else (
        select h.name from jsonb_array_elements_text(healthy -> d.channel) with ordinality as h (name, place)
        where not h.name = any (d.refused_by) order by h.place limit 1) end
    from due where d.id = due.id
    returning d.*
  )
  select c.id, c.account_id, c.channel, c.sealed, c.expires_at, c.claim, c.carrier, c.refused_by, c.uncertain, c.tries,
    v.recipient, v.status, v.cost_credits, v.message, v.subject, a.sender_name, a.reply_to_email, a.default_message,
    a.default_subject, extract(epoch from v.expires_at - v.created_at)::integer,
    floor(extract(epoch from clock_now()) * 1000)::bigint
  from claimed c
  left join verifications v on v.account_id = c.account_id and v.id = c.id
  left join accounts a on a.id = c.account_id
$$;

-- Ends claims, each fenced by its token, with what became of the verification: a worker whose claim was taken away changes
-- nothing. What was canceled or superseded while a worker had it in hand, and then refused, gets its credit back. claims: [{id, claim}], changes as for apply_changes.
create function finish_deliveries(claims json, changes json) returns integer language plpgsql volatile set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  still_ours uuid[];
  closed_meanwhile json;
begin
  perform 1 from balances b where b.account_id = any (array(
      select c.account_id from json_to_recordset(changes) as c (account_id uuid, refund boolean) where c.refund))
    order by b.account_id for update;
  with gone as (
    delete from deliveries d using json_to_recordset(claims) as c (id uuid, claim uuid)
    where d.id = c.id and d.claim = c.claim returning d.id
  )
  select array_agg(id) into still_ours from gone;
  perform apply_changes((
    select coalesce(json_agg(e.value), '[]') from json_array_elements(changes) as e
    where (e.value ->> 'id')::uuid = any (still_ours)));
  select json_agg(json_build_object('account_id', v.account_id, 'id', v.id, 'allowed', array[v.status],
      'refund', true, 'note', 'Credit returned: never handed to a carrier')) into closed_meanwhile
    from json_to_recordset(changes) as c (account_id uuid, id uuid, refund boolean)
    cross join lateral (
      select v.* from verifications v where v.account_id = c.account_id and v.id = c.id offset 0) v
    where c.refund and c.id = any (still_ours) and v.cost_credits > 0 and v.status in ('expired', 'failed')
      and v.closed_by is not null;
  if closed_meanwhile is not null then perform apply_changes(closed_meanwhile); end if;
  return coalesce(cardinality(still_ours), 0);
end $$;
