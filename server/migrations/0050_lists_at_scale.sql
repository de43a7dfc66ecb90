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

-- The first line of a history says nothing that the verification does not.
alter table verifications add column ip_address inet;
alter table status_history drop constraint status_history_pkey;
create index status_history_of_verification on status_history (account_id, otp_id);

create or replace function write_sends(sends json, recipient_rows json, answers json) returns void language sql volatile set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  with s as materialized (
    select * from json_to_recordset(sends) as s (
      account_id uuid, id uuid, api_key_id uuid, channel text, recipient text, message text, subject text,
      code_length smallint, code_hmac bytea, code_sealed bytea, at timestamptz, expires_at timestamptz,
      ledger_id uuid, log_id uuid, request_id uuid, endpoint text, ip_address inet, ms real)
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
