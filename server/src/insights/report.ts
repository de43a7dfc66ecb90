import type { Channel } from '@sixdigit/contract/channels.ts';
import {
  COUNT_NAMES,
  type Counts,
  conversionOf,
  type getInsights,
  type Insights,
  TIME_BOUNDS,
  type Totals,
} from '@sixdigit/contract/insights.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import { keyNames } from '../api-keys/api-keys.ts';
import type { Db } from '../platform/db/sql.ts';
import { refusedSendsOf } from '../request-logs/request-logs.ts';
import { daysOf, hoursOf, intervalOf, periodBefore, periodOf, slotsOf } from './periods.ts';
import {
  type GroupRow,
  type InsightFilter,
  type Sums,
  selectGroups,
  selectSeries,
  selectSums,
} from './queries.ts';

/** The counts of an account over a period and the period before. */
export async function insightsOf(
  db: Db,
  account_id: string,
  query: Parsed<typeof getInsights, 'query'>,
  now: Date,
): Promise<Insights> {
  const { time_zone } = query;
  const period = periodOf(query, now);
  const interval = intervalOf(period, now);
  const filter: InsightFilter = {
    account_id,
    channel: query.channel ?? null,
    country: query.country ?? null,
    api_key_id: query.api_key ?? null,
  };
  const days = daysOf(period);
  // UTC days have their own rows. Days in other time zones are summed from hours.
  const windows = interval === 'day' && time_zone === 'UTC' ? days : hoursOf(period);
  // Runs the queries one after the other on one connection, so that this screen uses no more connections than a list does.
  return db.transaction(async (tx) => {
    const series = await selectSeries(tx, { filter, windows }, slotsOf(period, interval, time_zone));
    const groups = await selectGroups(tx, { filter, windows: days });
    const refused = await refusedSendsOf(tx, { ...filter, ...period });
    const before = await selectSums(tx, { filter, windows: daysOf(periodBefore(period, now)) });
    const of = (split: GroupRow['split']) => groups.filter((row) => row.split === split);
    const names = await keyNames(
      tx,
      account_id,
      of('api_key').map(({ value }) => value),
    );
    const totals = sumsOf(series);
    return {
      from: period.from.toISOString(),
      to: period.to.toISOString(),
      as_of: now.toISOString(),
      time_zone,
      interval,
      totals: totalsOf(totals),
      before: totalsOf(before),
      series: series.map(({ at, ...sums }) => ({ ...totalsOf(sums), at })),
      by_channel: of('channel').map((row) => ({ ...countsOf(row), channel: row.value as Channel })),
      by_country: of('country').map((row) => ({ ...countsOf(row), country: row.value || null })),
      by_api_key: of('api_key').map((row) => ({
        ...countsOf(row),
        api_key: { id: row.value, name: names.get(row.value) ?? '' },
      })),
      refused,
      times: bucketsOf(totals.times).map(({ bucket, verified }) => ({ ...boundsOf(bucket), verified })),
    };
  });
}

function sumsOf(all: readonly Sums[]): Sums {
  const sum = (of: (one: Sums) => number) => all.reduce((total, one) => total + of(one), 0);
  const counts = Object.fromEntries(COUNT_NAMES.map((name) => [name, sum((one) => one[name])])) as Counts;
  const longest = Math.max(0, ...all.map(({ times }) => times.length));
  return {
    ...counts,
    times: Array.from({ length: longest }, (_, bucket) => sum(({ times }) => times[bucket] ?? 0)),
  };
}

const countsOf = ({ split: _split, value: _value, ...counts }: GroupRow): Counts => counts;

function totalsOf({ times, ...counts }: Sums): Totals {
  const buckets = bucketsOf(times);
  return {
    ...counts,
    conversion: conversionOf(counts),
    median_seconds: quantileOf(buckets, 0.5),
    p95_seconds: quantileOf(buckets, 0.95),
  };
}

const bucketsOf = (times: readonly number[]): Bucket[] =>
  times.flatMap((verified, bucket) => (verified > 0 ? [{ bucket, verified }] : []));

interface Bucket {
  bucket: number;
  verified: number;
}

/** A bucket's bounds in seconds. The last bucket has no upper bound. */
export const boundsOf = (bucket: number): { from_seconds: number; to_seconds: number | null } => ({
  from_seconds: TIME_BOUNDS[bucket - 1] ?? 0,
  to_seconds: TIME_BOUNDS[bucket] ?? null,
});

/**
 * A quantile of durations in seconds, interpolated within its bucket and rounded to a tenth. Null if there are no durations.
 * The last bucket has no upper bound, so its lower bound is returned.
 */
export function quantileOf(buckets: readonly Bucket[], q: number): number | null {
  const total = buckets.reduce((sum, { verified }) => sum + verified, 0);
  if (total === 0) return null;
  const rank = q * total;
  let below = 0;
  for (const { bucket, verified } of buckets) {
    if (below + verified >= rank) {
      const { from_seconds, to_seconds } = boundsOf(bucket);
      const share = (rank - below) / verified;
      const seconds = from_seconds + share * ((to_seconds ?? from_seconds) - from_seconds);
      return Math.round(seconds * 10) / 10;
    }
    below += verified;
  }
  return null;
}
