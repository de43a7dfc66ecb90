create table request_logs (
  account_id uuid not null,
  id uuid not null,
  api_key_id uuid not null,
  otp_id uuid,
  -- null where it equals id
  request_id uuid,
  created_at timestamptz not null,
  response_time_ms real not null,
  count integer not null default 1,
  response_status_code smallint not null,
  credits_used smallint not null default 0,
  request_type text not null check (request_type in ('send_otp', 'verify_otp')),
  -- null where they are those of the request_type
  method text,
  endpoint text,
  channel text,
  recipient text,
  reason text,
  ip_address inet,
  primary key (account_id, id)
) partition by range (id);
create index request_logs_by_age on request_logs using brin (id);
-- Tenths of a millisecond, as whole numbers, so that equal ones share an entry. The day comes before the id, which it agrees
-- with, since ids would share none.
create index request_logs_by_duration on request_logs
  (account_id, ((response_time_ms * 10)::integer), ((created_at at time zone 'UTC')::date) desc);
create index request_logs_of_key_by_duration on request_logs
  (api_key_id, ((response_time_ms * 10)::integer), ((created_at at time zone 'UTC')::date) desc);
create index request_logs_by_status_code on request_logs (account_id, response_status_code);
create table request_logs_other partition of request_logs default;
