-- Second half of a batch of sends: writes all rows of the sends.
--
-- rows            the new rows of verifications, by their columns. A column without a value is null, whatever its default
-- sends           the rest of each send, in the order of rows: {code_sealed: [...], log_id: [...], ...}.
--                 recipient_hash: to count the sends over all accounts; limits_key: the key has a daily limit;
--                 log_id, ms, endpoint, status: for the log, unless log_id is null, with the request's path and status if they are not those of a send;
--                 worker_id, claim, carrier: a worker in the same process has already claimed the message;
--                 plans: the rows of plans, of the sends that have further steps
-- recipient_rows  the new state of each recipient of an account
-- answers         [{account_id, endpoint, key, request, status, response}], responses to store for idempotency keys
-- locks           none; lock_sends has locked the accounts and recipients
create or replace function record_sends(rows json, sends json, recipient_rows json, answers json) returns void
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
begin
  -- In PL/pgSQL, because servers before PostgreSQL 18 plan an SQL function's statements at every call.
  with s as materialized (
    select s.*, (s.row).account_id, (s.row).id, (s.row).api_key_id, (s.row).channel, (s.row).recipient, (s.row).is_test,
      (s.row).cost_credits as cost, (s.row).created_at as at, (s.row).expires_at, (s.row).ip_address
    from (
      select json_populate_recordset(null::verifications, rows) as row, unnest(code_sealed) as code_sealed, unnest(log_id) as log_id,
        unnest(endpoint) as endpoint, unnest(status) as log_status, unnest(ms) as ms, unnest(recipient_hash) as recipient_hash, unnest(worker_id) as worker_id,
        unnest(claim) as claim, unnest(carrier) as carrier
      from json_to_record(sends) as s (code_sealed bytea[], log_id uuid[], endpoint text[], status smallint[], ms real[], recipient_hash bytea[],
        worker_id uuid[], claim uuid[], carrier text[])) s
  ), verification as (
    insert into verifications select (row).* from s
  ), entry as (
    insert into ledger (account_id, id, kind, credits, description, created_at)
    select account_id, id, 'usage', -cost,
      case channel when 'sms' then 'SMS' when 'whatsapp' then 'WhatsApp' else initcap(channel) end || ' verification', at
    from s where not is_test
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
    insert into deliveries (id, account_id, channel, sealed, run_at, expires_at, worker_id, claim, carrier, tries)
    select id, account_id, case when is_test then 'test' else channel end, code_sealed, at, expires_at, worker_id, claim, carrier,
      case when claim is null then 0 else 1 end
    from s
  ), logged as (
    insert into request_logs (account_id, id, api_key_id, request_type, endpoint, response_status_code, response_time_ms,
      credits_used, channel, recipient, otp_id, ip_address, created_at)
    select account_id, log_id, api_key_id, 'send_otp', endpoint, coalesce(log_status, 201), ms, cost, channel, recipient, id, ip_address, at from s
    where log_id is not null
  ), counted as (
    insert into recipient_sends as r (recipient_hash, sends, touched_at)
    select recipient_hash, array_agg(floor(extract(epoch from at) * 1000)::bigint), max(at) from s
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
  if strpos(sends::text, '"limits_key"') > 0 then
    update key_spending k set spend_day = d.today,
      spent_today = n.n + case when k.spend_day = d.today then k.spent_today else 0 end
    from (
      select (s.row).account_id, (s.row).api_key_id, sum((s.row).cost_credits)::integer as n
      from (
        select json_populate_recordset(null::verifications, rows) as row, unnest(limits_key) as limits_key
        from json_to_record(sends) as s (limits_key boolean[])) s
      where limits_key and not (s.row).is_test group by 1, 2) n
    cross join (select (clock_now() at time zone 'UTC')::date as today) d
    where k.account_id = n.account_id and k.api_key_id = n.api_key_id;
  end if;
  if strpos(rows::text, '"resend_of"') > 0 then
    -- Without this lock, the update could wait for a row and re-read it, see lock_verifications.
    perform lock_verifications(array(select r.resend_of from json_to_recordset(rows) as r (resend_of uuid) where r.resend_of is not null));
    update verifications v set resend_ids = v.resend_ids || n.ids
    from (
      select r.account_id, r.resend_of, array_agg(r.id order by r.id) as ids
      from json_to_recordset(rows) as r (account_id uuid, id uuid, resend_of uuid)
      where r.resend_of is not null group by 1, 2) n
    where v.account_id = n.account_id and v.id = n.resend_of;
  end if;
  if strpos(sends::text, '"plans"') > 0 then
    insert into plans (otp_id, account_id, current_id, rest, wait_seconds, sealed, run_at, expires_at)
    select otp_id, account_id, otp_id, rest, wait_seconds, sealed, run_at, expires_at
    from json_populate_recordset(null::plans, sends -> 'plans');
  end if;
  perform keep_idempotent_answers(answers);
end
$$;
