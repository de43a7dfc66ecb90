-- Limits that hold over time and over accounts.

-- milliseconds since 1970 of the wrong codes of the last 24 hours, oldest first
alter table recipients add column wrong_tries bigint[] not null default '{}';

-- Sends to one recipient over all accounts, by a keyed hash. Unlogged: a crash of the database resets this limit, not the
-- one of each account.
create unlogged table recipient_sends (
  recipient_hash bytea primary key,
  -- milliseconds since 1970 of the sends of the last 24 hours, oldest first
  sends bigint[] not null,
  touched_at timestamptz not null
) with (fillfactor = 70);
create index recipient_sends_by_touch on recipient_sends using brin (touched_at);

-- First half of a batch of sends: locks its accounts and recipients, then reads with fresh snapshots what decides.
-- items: [{account_id, recipient, recipient_hash (hex), opt_out: [hex]? (sms only; one under each server key),
-- idempotency_key (hex)?, endpoint?, id?}]
create or replace function lock_sends(items json, keyed boolean, retry boolean) returns json language plpgsql volatile set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  account_ids uuid[] := array(select distinct i.account_id from json_to_recordset(items) as i (account_id uuid));
  accounts_found json;
  recipients_found json;
  sent_over_all json;
  opted_out json;
  answered json;
  written json;
begin
  perform 1 from balances b where b.account_id = any (account_ids) order by b.account_id for update;
  -- Each recipient of an account, which verifies lock too, and each recipient over all accounts, in one order of keys.
  perform pg_advisory_xact_lock(k.key) from (
    select hashtextextended(i.account_id || i.recipient, 6) as key
    from json_to_recordset(items) as i (account_id text, recipient text)
    union
    select hashtextextended(i.recipient_hash, 9)
    from json_to_recordset(items) as i (recipient_hash text) where i.recipient_hash is not null
    order by 1
  ) k;
  select json_agg(json_build_object('account_id', b.account_id, 'credits', b.credits, 'debt', b.debt)) into accounts_found
    from balances b where b.account_id = any (account_ids);
  select json_agg(json_build_object(
      'account_id', r.account_id, 'recipient', r.recipient,
      'code_hmac', r.code_hmac, 'code_sealed', r.code_sealed, 'code_length', r.code_length,
      'code_first_sent_ms', floor(extract(epoch from r.code_first_sent_at) * 1000)::bigint,
      'open_until_ms', floor(extract(epoch from r.open_until) * 1000)::bigint,
      'open_ids', r.open_ids, 'tries_used', r.tries_used, 'sends', r.sends, 'wrong_tries', r.wrong_tries))
    into recipients_found
    from (select distinct i.account_id, i.recipient
          from json_to_recordset(items) as i (account_id uuid, recipient text)) i
    cross join lateral (select * from recipients r where r.account_id = i.account_id and r.recipient = i.recipient offset 0) r;
  select json_agg(json_build_object('recipient_hash', encode(s.recipient_hash, 'hex'), 'sends', s.sends)) into sent_over_all
    from (select distinct i.recipient_hash from json_to_recordset(items) as i (recipient_hash text)) i
    cross join lateral (select * from recipient_sends s where s.recipient_hash = decode(i.recipient_hash, 'hex') offset 0) s;
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
    'accounts', accounts_found, 'recipients', recipients_found,
    'sent_over_all', sent_over_all, 'opted_out', opted_out, 'answered', answered,
    'written', written);
end $$;

create or replace function write_sends(sends json, recipient_rows json, answers json) returns void language sql volatile set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  with s as materialized (
    select * from json_to_recordset(sends) as s (
      account_id uuid, id uuid, api_key_id uuid, channel text, recipient text, message text, subject text,
      segments smallint, code_length smallint, code_hmac bytea, code_sealed bytea, at timestamptz, expires_at timestamptz,
      ledger_id uuid, log_id uuid, ip_address inet, ms real, recipient_hash text)
  ), verification as (
    insert into verifications (account_id, id, api_key_id, channel, recipient, status, cost_credits, message, subject,
      segments, code_length, code_hmac, created_at, expires_at, ip_address)
    select account_id, id, api_key_id, channel, recipient, 'pending', 1, message, subject,
      segments, code_length, code_hmac, at, expires_at, ip_address from s
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
  ), counted as (
    insert into recipient_sends as r (recipient_hash, sends, touched_at)
    select decode(recipient_hash, 'hex'), array_agg(floor(extract(epoch from at) * 1000)::bigint), max(at) from s
    where recipient_hash is not null group by recipient_hash
    on conflict (recipient_hash) do update set
      sends = array(
        select ms from unnest(r.sends || excluded.sends) as ms
        where ms > floor(extract(epoch from excluded.touched_at) * 1000)::bigint - 86400000 order by ms),
      touched_at = excluded.touched_at
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

create or replace function lock_verifies(items json, keyed boolean) returns json language plpgsql volatile set plan_cache_mode = force_generic_plan
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
      select r.account_id, r.recipient, r.open_ids, r.tries_used, r.wrong_tries from recipients r
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

create or replace function write_verifies(recipient_rows json, changes json, answers json, logs json) returns void
language plpgsql volatile set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  update recipients r set tries_used = n.tries_used, open_ids = n.open_ids,
      wrong_tries = coalesce(n.wrong_tries, r.wrong_tries),
      code_hmac = case when cardinality(n.open_ids) = 0 then null else r.code_hmac end,
      code_sealed = case when cardinality(n.open_ids) = 0 then null else r.code_sealed end,
      open_until = case when cardinality(n.open_ids) = 0 then null else r.open_until end,
      touched_at = clock_now()
    from json_to_recordset(recipient_rows) as n (account_id uuid, recipient text, tries_used smallint, open_ids uuid[],
      wrong_tries bigint[])
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
