-- Sums for the Insights screen, in rows that any range, filter and time zone reads few of. They replace `insight_counts` and
-- `insight_times`, which processes of the previous version still read.
create table insight_sums (
  account_id uuid not null,
  -- 5: verifications of five minutes, until they are rolled up. 60 and 1440: rolled up, of an hour and of a day in UTC
  minutes smallint not null check (minutes in (5, 60, 1440)),
  -- empty: e-mail. Rolled up also over all countries: `*`
  country text not null,
  -- rolled up also over all keys: the nil UUID
  api_key_id uuid not null,
  -- rolled up also over all channels, countries and keys: `*`
  channel text not null,
  at timestamptz not null,
  sent integer not null,
  -- a carrier accepted the message
  dispatched integer not null,
  -- a carrier reported the delivery
  delivered integer not null,
  verified integer not null,
  expired integer not null,
  failed integer not null,
  -- its owner canceled it
  canceled integer not null,
  -- too many wrong codes
  exhausted integer not null,
  -- another send to the same recipient was verified instead
  superseded integer not null,
  -- credits spent, after refunds
  credits integer not null,
  refunded integer not null,
  -- no carrier accepted the message
  rejected integer not null,
  wrong_codes integer not null,
  -- how many right codes took how long: one element for each `seconds_bucket`, up to the last that is needed
  times integer[],
  -- The time stands last: a range of one country, key and channel is one range of the index.
  primary key (account_id, minutes, country, api_key_id, channel, at)
) with (fillfactor = 80);
create index insight_sums_of_minutes on insight_sums (at) where minutes = 5;
-- for retention
create index insight_sums_by_age on insight_sums using brin (at);

with widths (minutes, unit) as (values (60, 'hour'), (1440, 'day')), sums as (
  select account_id, minutes, country, api_key_id, channel, at, sent, dispatched, delivered, verified, expired, failed, canceled, exhausted, superseded, credits, refunded, rejected,
    wrong_codes
  from insight_counts where minutes = 5
  union all
  select account_id, w.minutes, case when grouping(country) = 0 then country else '*' end,
    case when grouping(api_key_id) = 0 then api_key_id else '00000000-0000-0000-0000-000000000000' end,
    case when grouping(channel) = 0 then channel else '*' end, date_trunc(w.unit, at, 'UTC'),
    sum(sent), sum(dispatched), sum(delivered), sum(verified), sum(expired), sum(failed), sum(canceled), sum(exhausted),
    sum(superseded), sum(credits), sum(refunded), sum(rejected), sum(wrong_codes)
  from insight_counts c cross join widths w where c.minutes = 60 and channel <> '*'
  group by account_id, w.minutes, date_trunc(w.unit, at, 'UTC'),
    grouping sets ((), (channel), (channel, country), (channel, api_key_id), (channel, country, api_key_id))
), counts as (
  select account_id, minutes, country, api_key_id, channel, at, bucket, verified from insight_times where minutes = 5
  union all
  select account_id, w.minutes, case when grouping(country) = 0 then country else '*' end,
    case when grouping(api_key_id) = 0 then api_key_id else '00000000-0000-0000-0000-000000000000' end,
    case when grouping(channel) = 0 then channel else '*' end, date_trunc(w.unit, at, 'UTC'), bucket, sum(verified)
  from insight_times t cross join widths w where t.minutes = 60 and channel <> '*'
  group by account_id, w.minutes, date_trunc(w.unit, at, 'UTC'), bucket,
    grouping sets ((), (channel), (channel, country), (channel, api_key_id), (channel, country, api_key_id))
), times as (
  select account_id, minutes, country, api_key_id, channel, at, (array[
    coalesce(sum(verified) filter (where bucket = 0), 0), coalesce(sum(verified) filter (where bucket = 1), 0),
    coalesce(sum(verified) filter (where bucket = 2), 0), coalesce(sum(verified) filter (where bucket = 3), 0),
    coalesce(sum(verified) filter (where bucket = 4), 0), coalesce(sum(verified) filter (where bucket = 5), 0),
    coalesce(sum(verified) filter (where bucket = 6), 0), coalesce(sum(verified) filter (where bucket = 7), 0),
    coalesce(sum(verified) filter (where bucket = 8), 0), coalesce(sum(verified) filter (where bucket = 9), 0),
    coalesce(sum(verified) filter (where bucket = 10), 0), coalesce(sum(verified) filter (where bucket = 11), 0),
    coalesce(sum(verified) filter (where bucket = 12), 0), coalesce(sum(verified) filter (where bucket = 13), 0),
    coalesce(sum(verified) filter (where bucket = 14), 0), coalesce(sum(verified) filter (where bucket = 15), 0),
    coalesce(sum(verified) filter (where bucket = 16), 0), coalesce(sum(verified) filter (where bucket = 17), 0),
    coalesce(sum(verified) filter (where bucket = 18), 0), coalesce(sum(verified) filter (where bucket = 19), 0),
    coalesce(sum(verified) filter (where bucket = 20), 0), coalesce(sum(verified) filter (where bucket = 21), 0),
    coalesce(sum(verified) filter (where bucket = 22), 0), coalesce(sum(verified) filter (where bucket = 23), 0),
    coalesce(sum(verified) filter (where bucket = 24), 0), coalesce(sum(verified) filter (where bucket = 25), 0),
    coalesce(sum(verified) filter (where bucket = 26), 0), coalesce(sum(verified) filter (where bucket = 27), 0)
  ])[: max(bucket) + 1] as times
  from counts group by 1, 2, 3, 4, 5, 6
)
insert into insight_sums
  select sums.*, times.times from sums left join times using (account_id, minutes, country, api_key_id, channel, at);
