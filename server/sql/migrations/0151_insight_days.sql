-- Counts for long ranges: a row for each day beside the rows of five minutes and hours, and a row for each hour over all channels,
-- countries and keys, so that 90 days of a large account take few rows to read. Also wrong codes, and messages that no carrier
-- accepted.

alter table insight_deltas
  -- no carrier accepted the message
  add column rejected integer not null default 0,
  add column wrong_codes integer not null default 0;
alter table insight_counts
  add column rejected integer not null default 0,
  add column wrong_codes integer not null default 0,
  drop constraint insight_counts_minutes_check,
  drop constraint insight_counts_pkey,
  -- 1440: a whole day in UTC
  add check (minutes in (5, 60, 1440)),
  -- ranges of one width are read, so the width stands before the time
  add primary key (account_id, minutes, at, channel, country, api_key_id);
alter table insight_times
  drop constraint insight_times_minutes_check,
  drop constraint insight_times_pkey,
  add check (minutes in (5, 60, 1440)),
  add primary key (account_id, minutes, at, channel, country, api_key_id, bucket);

insert into insight_counts
  select account_id, date_trunc('day', at, 'UTC'), 1440, channel, country, api_key_id, sum(sent), sum(dispatched),
    sum(delivered), sum(verified), sum(expired), sum(failed), sum(canceled), sum(exhausted), sum(superseded), sum(credits),
    sum(refunded)
  from insight_counts group by 1, 2, 4, 5, 6
  union all
  select account_id, date_trunc('hour', at, 'UTC'), 60, '*', '', '00000000-0000-0000-0000-000000000000', sum(sent),
    sum(dispatched), sum(delivered), sum(verified), sum(expired), sum(failed), sum(canceled), sum(exhausted),
    sum(superseded), sum(credits), sum(refunded)
  from insight_counts group by 1, 2;
insert into insight_times
  select account_id, date_trunc('day', at, 'UTC'), 1440, channel, country, api_key_id, bucket, sum(verified)
  from insight_times group by 1, 2, 4, 5, 6, 7
  union all
  select account_id, date_trunc('hour', at, 'UTC'), 60, '*', '', '00000000-0000-0000-0000-000000000000', bucket, sum(verified)
  from insight_times group by 1, 2, 7;
