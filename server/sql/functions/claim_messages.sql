-- Claims due messages for a worker and stores each message's carrier before the dispatch. After a crash, the row therefore names
-- the carrier that may have the message. Channels that are not in `wanted` are not read.
--
-- worker   the worker that claims
-- token    fences every later change of the claimed rows
-- wanted   [{"channel": "sms", "most": 128, "carriers": ["twilio", …]}, …], the carriers in the order to try;
--          the channel "test" contains the messages of test verifications
-- returns  the claimed messages with all fields that a dispatch needs. Because the texts are JSON, they can gain fields without a
--          new version of this function
-- locks    rows of deliveries, skipping locked ones
create or replace function claim_messages(worker uuid, token uuid, wanted jsonb) returns table (
  id uuid, account_id uuid, channel text, sealed bytea, expires_at timestamptz, claim uuid, carrier text,
  refused_by text[], uncertain smallint, tries smallint, recipient text, status text, cost_credits smallint,
  seconds integer, now_ms bigint, texts json
)
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  -- sorted
  due uuid[] := array(
    select d.id from (
      select d.id
      from jsonb_to_recordset(wanted) as w (channel text, most integer)
      cross join lateral (
        select d.id from deliveries d
        where d.worker_id is null and d.channel = w.channel and d.run_at <= clock_now()
        order by d.run_at limit w.most for update skip locked) d
    ) d order by d.id);
  -- With these bounds in variables, PostgreSQL prunes the partitions of other months before it opens them.
  least_id uuid := due[1];
  greatest_id uuid := due[cardinality(due)];
begin
  if cardinality(due) = 0 then return; end if;
  -- With arrays and `offset 0`, every plan looks rows up by key, even a plan made while the tables were empty.
  return query
  with claimed as (
    update deliveries d set worker_id = worker, claim = token, tries = d.tries + 1,
      carrier = case when d.carrier is not null and not d.carrier = any (d.refused_by) then d.carrier else (
        select c.name from jsonb_to_recordset(wanted) as w (channel text, carriers jsonb)
        cross join lateral jsonb_array_elements_text(w.carriers) with ordinality as c (name, place)
        where w.channel = d.channel and not c.name = any (d.refused_by) order by c.place limit 1) end
    where d.id = any (due)
    returning d.*
  )
  select c.id, c.account_id, case when c.channel = 'test' then v.channel else c.channel end, c.sealed, c.expires_at, c.claim, c.carrier, c.refused_by, c.uncertain, c.tries,
    v.recipient, v.status, v.cost_credits, extract(epoch from v.expires_at - v.created_at)::integer,
    floor(extract(epoch from clock_now()) * 1000)::bigint, row_to_json(t)
  from claimed c
  left join lateral (
    select v.* from verifications v
    where v.account_id = c.account_id and v.id = c.id and v.id between least_id and greatest_id offset 0) v on true
  left join lateral (select a.* from accounts a where a.id = c.account_id offset 0) a on true
  cross join lateral (
    select v.message, v.subject, v.language, v.locale, a.sender_name, a.reply_to_email, a.default_message, a.default_subject,
      a.default_language, v.dlt) t;
end
$$;
