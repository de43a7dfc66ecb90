-- Ends verifications that have expired. Pending ones were not dispatched, so they fail and are refunded. Sent ones expire, and so do
-- pending ones whose code a later step of their plan has sent. If a
-- worker has claimed the message, the verification is left to that worker.
--
-- most     the maximum number of verifications
-- returns  {looked_at: how many it examined; 0 if another process is running it,
--          ended: [{account_id, id, recipient, channel, client_ip, is_test, own_code, known, previous_status, status, refunded}]}
-- locks    expirySweep, without waiting; then as apply_changes
create or replace function end_expired(most integer) returns json
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  due json;
  n integer;
  ended json;
begin
  if not pg_try_advisory_xact_lock(7365706 /* expirySweep */) then return '{"looked_at": 0}'; end if;
  select count(*), json_agg(case case when v.is_sent_again then 'sent again' else v.status end
      when 'sent again' then json_build_object('account_id', v.account_id, 'id', v.id, 'allowed', '{pending}'::text[],
        'to', 'expired', 'event', 'expired', 'refund', true, 'wipe', true, 'dequeue', true)
      when 'pending' then json_build_object('account_id', v.account_id, 'id', v.id, 'allowed', '{pending}'::text[],
        'to', 'failed', 'event', 'failed', 'refund', true, 'wipe', true, 'dequeue', true,
        'failure', v.why, 'note', v.why)
      when 'sent' then json_build_object('account_id', v.account_id, 'id', v.id, 'allowed', '{sent}'::text[],
        'to', 'expired', 'event', 'expired', 'wipe', true)
      else json_build_object('account_id', v.account_id, 'id', v.id, 'allowed', array[v.status], 'wipe', true) end)
    into n, due
    from (
      select v.account_id, v.id, v.status,
        v.plan is not null and v.status = 'pending' and exists (
          select from verifications r where r.account_id = v.account_id and r.id = any (v.resend_ids) and r.sent_at is not null)
          as is_sent_again,
        coalesce((
          select coalesce(d.last_failure, 'Not dispatched to a carrier before it expired') from deliveries d
          where d.id = v.id and d.carrier is null and d.uncertain = 0
        ), v.failure, 'No carrier confirmed it before it expired') as why
      from verifications v
      where v.code_hmac is not null and v.expires_at <= clock_now()
        and not exists (select from deliveries d where d.id = v.id and d.worker_id is not null)
      order by v.expires_at limit most
    ) v;
  if n > 0 then
    select json_agg(json_build_object('account_id', v.account_id, 'id', v.id, 'recipient', v.recipient, 'channel', v.channel,
        'client_ip', host(v.client_ip), 'is_test', v.is_test, 'own_code', v.own_code, 'known', v.known, 'previous_status', c.previous_status, 'status', c.status, 'refunded', c.refunded))
      into ended
      from apply_changes(due) c
      join json_to_recordset(due) as d (account_id uuid, id uuid) on d.id = c.id
      cross join lateral (
        select * from verifications v where v.account_id = d.account_id and v.id = c.id offset 0) v;
  end if;
  return json_build_object('looked_at', n, 'ended', ended);
end
$$;
