-- Changes verifications, each by one guarded update. The same statement writes its history, its webhook messages and its refund,
-- and ends its delivery.
--
-- changes  each verification at most once: [{
--            account_id, id,
--            allowed: [statuses that allow the change],  to: the new status, or null to leave it,
--            note, ip, closed_by, failure,
--            event: sent | delivered | failed | verified | expired | step, or null,  step: what the event step is about,
--            refund: return the credit, once,  wipe: the code can no longer verify,
--            dequeue: remove the message from the queue unless a worker has claimed it,
--            usual: write no history row, because readers derive the event from the verification's times (an acceptance by a
--            carrier, a delivery report or a right code, each in its usual order),
--            sent, delivered, verified: set that time unless it is set,  carrier, sender, provider_message_id
--          }]. While a plan may send the code again, the failure of its first message does not end the verification: only the
--          failure is stored. A change without a refund may apply to several verifications: arrays of the same length (account_ids, ids, ips,
--          provider_message_ids) then replace account_id, id, ip and provider_message_id. This saves time, because PostgreSQL
--          takes 10 µs to parse each element.
-- returns  the verifications that changed
-- locks    balances by account, if there is a refund; then verifications by key; then rows of plans by key, if there is a failure or a wiped code
create or replace function apply_changes(changes json)
returns table (id uuid, previous_status text, status text, refunded boolean)
language plpgsql volatile
set plan_cache_mode = force_generic_plan
-- The update joins its rows with up to hundreds of changes, so a nested loop would read all changes for each row. Every other join
-- is lateral or has few rows.
set enable_seqscan = off set enable_nestloop = off set enable_mergejoin = off set enable_hashjoin = on
-- Before PostgreSQL 18, the planner still plans a nested loop here, at a cost so high that JIT would compile every call.
set jit = off
as $$
#variable_conflict use_column
declare
  -- sorted
  ids uuid[] := array(
    select v.id from json_to_recordset(changes) as c (id uuid, ids uuid[])
    cross join lateral unnest(coalesce(c.ids, array[c.id])) as v (id) order by v.id);
  -- With these bounds in variables, the executor skips the partitions of other months.
  least_id uuid := ids[1];
  greatest_id uuid := ids[cardinality(ids)];
begin
  if cardinality(ids) = 0 then return; end if;
  -- Most batches have no refund, and searching the text for the word costs far less than parsing the JSON.
  if strpos(changes::text, '"refund"') > 0 then
    perform 1 from balances b where b.account_id = any (array(
        select c.account_id from json_to_recordset(changes) as c (account_id uuid, refund boolean) where c.refund))
      order by b.account_id for update;
  end if;
  perform lock_verifications(ids);
  return query
  with c as materialized (
    select c.*, v.previous, v.had_cost, v.was_delivered_at, v.had_failure, v.goes_on from (
      select v.*, c.allowed, c."to", c.note, c.closed_by, c.failure, c.event, c.refund, c.wipe, c.dequeue, c.usual, c.sent,
        c.delivered, c.verified, c.carrier, c.sender, c.step
      from json_to_recordset(changes) as c (
        account_id uuid, id uuid, ip inet, provider_message_id text,
        account_ids uuid[], ids uuid[], ips inet[], provider_message_ids text[],
        allowed text[], "to" text, note text, closed_by text, failure text, event text, refund boolean, wipe boolean,
        dequeue boolean, usual boolean, sent boolean, delivered boolean, verified boolean, carrier text, sender text, step jsonb)
      cross join lateral unnest(coalesce(c.account_ids, array[c.account_id]), coalesce(c.ids, array[c.id]),
        coalesce(c.ips, array[c.ip]), coalesce(c.provider_message_ids, array[c.provider_message_id]))
        as v (account_id, id, ip, provider_message_id)
      order by v.id
    ) c
    cross join lateral (
      select v.status as previous, v.cost_credits as had_cost, v.delivered_at as was_delivered_at,
        v.failure as had_failure,
        case when c."to" = 'failed' and v.plan is not null and v.resend_of is null and c.closed_by is null and c.wipe is not true
          then exists (select from plans p where p.otp_id = v.id) else false end as goes_on
      from verifications v where v.account_id = c.account_id and v.id = c.id and v.id between least_id and greatest_id
      offset 0) v
  ), changed as (
    update verifications v set
      status = case when c.goes_on then v.status else coalesce(c."to", v.status) end,
      closed_by = coalesce(c.closed_by, v.closed_by),
      failure = case when c.failure is not null and c."to" = 'failed' then c.failure
                     when c."to" = 'verified' and v.plan is null then null else v.failure end,
      code_hmac = case when c.wipe then null else v.code_hmac end,
      cost_credits = case when c.refund then 0 else v.cost_credits end,
      sent_at = case when c.sent then coalesce(v.sent_at, clock_now()) else v.sent_at end,
      delivered_at = case when c.delivered then coalesce(v.delivered_at, clock_now()) else v.delivered_at end,
      verified_at = case when c.verified then coalesce(v.verified_at, clock_now()) else v.verified_at end,
      verified_ip = case when c.verified then c.ip else v.verified_ip end,
      carrier = coalesce(c.carrier, v.carrier),
      sender = coalesce(c.sender, v.sender),
      provider_message_id = coalesce(c.provider_message_id, v.provider_message_id)
    from c
    where v.account_id = c.account_id and v.id = c.id and v.id between least_id and greatest_id
      -- With arrays, every plan looks rows up by key, even a plan made while the table was empty.
      and v.account_id = any (array(select distinct account_id from c)) and v.id = any (array(select id from c))
      and c.previous = any (c.allowed)
      and not (c.goes_on and c.had_failure is not null)
      and not (coalesce(c.delivered, false) and c.was_delivered_at is not null)
    returning v.*, c.previous as was, c.had_cost, c."to" as target, c.note, c.ip, c.event, c.refund, c.dequeue,
      c.usual, c.goes_on, c.step
  ), history as (
    insert into status_history (account_id, otp_id, previous_status, new_status, changed_at, ip_address, notes)
    select account_id, id, was, changed.status, clock_now(), ip, note from changed
    where (target is not null or note is not null)
      and (usual and (was = 'pending' and target = 'sent' and sent_at = clock_now()
        or was = 'sent' and target is null and delivered_at = clock_now()
        or was = 'sent' and verified_at = clock_now())) is not true
  ), refunds as (
    insert into ledger (account_id, id, kind, reference, credits, description, created_at)
    select account_id, new_uuid(), 'refund', 'refund:' || id, had_cost, 'Refund: verification not delivered', clock_now()
    from changed where refund and had_cost > 0
    on conflict (kind, reference) do nothing
    returning account_id, credits, reference
  ), credited as (
    update balances b set credits = b.credits + greatest(0, n.n - b.debt), debt = greatest(0, b.debt - n.n)
    from (select account_id, sum(credits)::integer as n from refunds group by account_id) n
    where b.account_id = n.account_id and b.account_id = any (array(select account_id from refunds))
  ), dequeued as (
    -- Finds rows by id instead of `worker_id is null`. With the statistics of an empty queue, PostgreSQL would scan the whole index
    -- of waiting messages.
    delete from deliveries d where d.id = any (array(select id from changed where dequeue)) and num_nulls(d.worker_id) = 1
  ), published as (
    insert into webhook_messages (id, account_id, endpoint_id, type, otp_id, body, created_at)
    -- the contract's WebhookMessage
    select new_uuid(), x.account_id, e.id, 'otp.' || x.event, x.id, jsonb_build_object(
        'type', 'otp.' || x.event,
        'timestamp', iso(clock_now()),
        'data', jsonb_build_object(
          'otp_id', coalesce(x.resend_of, x.id), 'status', x.status, 'previous_status', x.was, 'channel', x.channel, 'recipient', x.recipient,
          'api_key', jsonb_build_object('id', x.api_key_id, 'name', k.name),
          'created_at', iso(x.created_at), 'expires_at', iso(x.expires_at), 'sent_at', iso(x.sent_at),
          'delivered_at', iso(x.delivered_at), 'verified_at', iso(x.verified_at),
          'cost_credits', x.cost_credits,
          'failure', case when x.status = 'failed' then x.failure end)
          || case when x.is_test then jsonb_build_object('test', true) else '{}' end
          || case when x.own_code then jsonb_build_object('own_code', true) else '{}' end
          || case when x.resend_of is not null then jsonb_build_object('resend_id', x.id) else '{}' end
          || case when x.step is not null then jsonb_build_object('step', x.step) else '{}' end
          || case when x.purpose is not null then jsonb_build_object('purpose', x.purpose) else '{}' end
          || case when x.metadata is not null then jsonb_build_object('metadata', x.metadata::jsonb) else '{}' end),
      clock_now()
    from changed x
    cross join lateral (
      select e.id from webhook_endpoints e where e.account_id = x.account_id and e.is_active and case x.event
        when 'sent' then e.send_on_sent when 'delivered' then e.send_on_delivered when 'failed' then e.send_on_failed
        when 'verified' then e.send_on_verified when 'expired' then e.send_on_expired
        when 'step' then e.send_on_step else false end offset 0) e
    cross join lateral (select k.name from api_keys k where k.id = x.api_key_id offset 0) k
    -- The verification that a resend belongs to tells how the code ended, and that of a plan tells when no step is left.
    where x.event is not null and not x.goes_on
      and (x.resend_of is null or x.event in ('sent', 'delivered') or x.event = 'failed' and x.closed_by is null and x.plan is null)
    returning webhook_messages.id, webhook_messages.endpoint_id, webhook_messages.account_id
  ), to_deliver as (
    insert into webhook_deliveries (id, endpoint_id, account_id, run_at)
    select p.id, p.endpoint_id, p.account_id, clock_now() from published p
  )
  select changed.id, changed.was, changed.status, coalesce(changed.refund, false) from changed;
  -- Most batches have no failure.
  if strpos(changes::text, '"failure"') > 0 then
    perform hasten_plans(changes);
  end if;
  if strpos(changes::text, '"wipe"') > 0 then
    perform end_plans(ids);
  end if;
end
$$;
