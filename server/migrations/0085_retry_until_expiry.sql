-- Retries until the code expires: a long outage of a carrier leaves many thousands of messages in the queue, so what claims
-- and ends them must cost the same whatever waits.
create index deliveries_due on deliveries (channel, run_at) where worker_id is null;
drop index deliveries_ready;

-- Claims due messages, at most as many of each channel as the worker asks for, and names the carrier that each is dispatched
-- to, so that after a crash it is known which carrier may have it. A channel that is not in `wanted` is not read at all.
-- wanted: [{"channel": "sms", "most": 128, "carriers": ["twilio", …]}, …], the carriers in the order to try.
-- The function of the same name with five parameters serves processes of the version before during a rolling restart.
create function claim_deliveries(worker uuid, token uuid, wanted jsonb) returns table (
  id uuid, account_id uuid, channel text, sealed bytea, expires_at timestamptz, claim uuid, carrier text,
  refused_by text[], uncertain smallint, tries smallint, recipient text, status text, cost_credits smallint,
  message text, subject text, sender_name text, reply_to_email text, default_message text, default_subject text,
  seconds integer, now_ms bigint
) language sql volatile
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  with due as materialized (
    select d.id, w.carriers
    from jsonb_to_recordset(wanted) as w (channel text, most integer, carriers jsonb)
    cross join lateral (
      select d.id from deliveries d
      where d.worker_id is null and d.channel = w.channel and d.run_at <= clock_now()
      order by d.run_at limit w.most for update skip locked) d
  ), claimed as (
    update deliveries d set worker_id = worker, claim = token, claimed_at = clock_timestamp(), tries = d.tries + 1,
      carrier = case when d.carrier is not null and not d.carrier = any (d.refused_by) then d.carrier else (
        select c.name from jsonb_array_elements_text(due.carriers) with ordinality as c (name, place)
        where not c.name = any (d.refused_by) order by c.place limit 1) end
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

-- As before, except that the deletion from the queue reads only the rows that it deletes.
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
    where (target is not null or note is not null)
      and (was = 'pending' and target = 'sent' and sent_at = clock_now() and note = 'Accepted by ' || changed.carrier) is not true
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
    -- By ids, and not by `worker_id is null`: with statistics of a time when nothing waited, PostgreSQL would read the whole
    -- queue by the index of what waits.
    delete from deliveries d where d.id = any (array(select id from changed where dequeue)) and num_nulls(d.worker_id) = 1
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

-- As before, except that a message that was retried until it expired fails with the last carrier's answer.
create or replace function sweep_expired(most integer) returns integer language plpgsql volatile set plan_cache_mode = force_generic_plan
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
      select v.account_id, v.id, v.status, coalesce((
          select coalesce(d.last_failure, 'Not dispatched to a carrier before it expired') from deliveries d
          where d.id = v.id and d.carrier is null and d.uncertain = 0
        ), 'No carrier confirmed it before it expired') as why
      from verifications v
      where v.code_hmac is not null and v.expires_at <= clock_now()
        and not exists (select from deliveries d where d.id = v.id and d.worker_id is not null)
      order by v.expires_at limit most
    ) v;
  if n > 0 then perform apply_changes(due); end if;
  return n;
end $$;
