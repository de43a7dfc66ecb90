-- Second half of a batch of sends: writes all rows of the sends.
--
-- sends           the accepted sends, with their ids, sealed codes and costs; limits_key: the key has a daily limit;
--                 endpoint: the request's path, if it was not that of the API;
--                 worker_id, claim, carrier: a worker in the same process has already claimed the message
-- recipient_rows  the new state of each recipient of an account
-- answers         [{account_id, endpoint, key, request, status, response}], responses to store for idempotency keys
-- locks           none; lock_sends has locked the accounts and recipients
create or replace function write_sends(sends json, recipient_rows json, answers json) returns void
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
begin
  -- In PL/pgSQL, because servers before PostgreSQL 18 plan an SQL function's statements at every call.
  with s as materialized (
    select s.*, case when s.is_test then 0 else s.cost_credits end as cost from json_to_recordset(sends) as s (
      account_id uuid, id uuid, api_key_id uuid, channel text, recipient text, message text, subject text,
      segments smallint, code_length smallint, code_hmac bytea, code_sealed bytea, at timestamptz, expires_at timestamptz,
      log_id uuid, endpoint text, ip_address inet, client_ip inet, ms real, recipient_hash text,
      country text, is_test boolean, own_code boolean, cost_credits smallint, worker_id uuid, claim uuid, carrier text)
  ), verification as (
    insert into verifications (account_id, id, api_key_id, channel, recipient, status, cost_credits, message, subject,
      segments, code_length, code_hmac, created_at, expires_at, ip_address, client_ip, country, is_test, own_code)
    select account_id, id, api_key_id, channel, recipient, 'pending', cost, message, subject,
      segments, code_length, code_hmac, at, expires_at, ip_address, client_ip, country, coalesce(is_test, false),
      coalesce(own_code, false) from s
  ), entry as (
    insert into ledger (account_id, id, kind, credits, description, created_at)
    select account_id, id, 'usage', -cost,
      case channel when 'sms' then 'SMS' else initcap(channel) end || ' verification', at
    from s where is_test is not true
  ), paid as (
    update balances b set credits = b.credits - n.n,
      spent_today = n.n + case when b.spend_day = d.today then b.spent_today else 0 end,
      spent_this_month = n.n + case when date_trunc('month', b.spend_day) = date_trunc('month', d.today)
        then b.spent_this_month else 0 end,
      tests_today = n.tests + case when b.spend_day = d.today then b.tests_today else 0 end,
      spend_day = d.today
    from (
      select account_id, sum(cost)::integer as n,
        count(*) filter (where is_test)::integer as tests
      from s group by account_id) n
    cross join (select (clock_now() at time zone 'UTC')::date as today) d
    where b.account_id = n.account_id
  ), queued as (
    insert into deliveries (id, account_id, channel, sealed, run_at, expires_at, worker_id, claim, carrier, claimed_at, tries)
    select id, account_id, case when is_test then 'test' else channel end, code_sealed, at, expires_at, worker_id, claim, carrier,
      case when claim is not null then clock_timestamp() end, case when claim is null then 0 else 1 end
    from s
  ), logged as (
    insert into request_logs (account_id, id, api_key_id, request_type, endpoint, response_status_code, response_time_ms,
      credits_used, channel, recipient, otp_id, ip_address, created_at)
    select account_id, log_id, api_key_id, 'send_otp', endpoint, 201, ms, cost, channel, recipient, id, ip_address, at from s
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
    open_ids = excluded.open_ids, tries_used = excluded.tries_used, sends = excluded.sends, touched_at = excluded.touched_at;
  -- Most batches have none of these rows, but each part of a statement costs time even without rows. Searching the text for the
  -- word costs far less than parsing the JSON.
  if strpos(sends::text, '"limits_key":true') > 0 then
    update key_spending k set spend_day = d.today,
      spent_today = n.n + case when k.spend_day = d.today then k.spent_today else 0 end
    from (
      select account_id, api_key_id, sum(cost_credits)::integer as n from json_to_recordset(sends) as s (
        account_id uuid, api_key_id uuid, limits_key boolean, is_test boolean, cost_credits smallint)
      where limits_key and is_test is not true group by account_id, api_key_id) n
    cross join (select (clock_now() at time zone 'UTC')::date as today) d
    where k.account_id = n.account_id and k.api_key_id = n.api_key_id;
  end if;
  perform keep_idempotent_answers(answers);
end
$$;
