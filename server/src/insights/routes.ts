import { CHANNELS, type Channel } from '#contract/channels.ts';
import {
  COUNT_NAMES,
  type Counts,
  conversionOf,
  getInsights,
  type Insights,
  type Totals,
} from '#contract/insights.ts';
import type { Parsed } from '#contract/route.ts';
import { keyNames } from '../api-keys/api-keys.ts';
import { withinListLimits } from '../platform/db/list-limits.ts';
import type { Db } from '../platform/db/sql.ts';
import { type Server, serve } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { type Bucket, boundsOf, quantileOf } from './durations.ts';
import { intervalOf, periodBefore, periodOf } from './periods.ts';
import {
  type GroupRow,
  type InsightFilter,
  selectGroups,
  selectSlots,
  selectTimes,
  selectTotals,
} from './queries.ts';

export function insightRoutes(server: Server, app: Needs<'db' | 'clock'>): void {
  serve(server, getInsights, ({ caller, query }) =>
    withinListLimits(app.db, caller.account_id, (db) =>
      insightsOf(db, caller.account_id, query, app.clock.now()),
    ),
  );
}

const NO_COUNTS = Object.fromEntries(COUNT_NAMES.map((name) => [name, 0])) as Counts;

async function insightsOf(
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
    ...period,
    channel: query.channel ?? null,
    country: query.country ?? null,
    api_key_id: query.api_key ?? null,
  };
  const before = { ...filter, ...periodBefore(period) };
  const [groups, slots, times, countsBefore, timesBefore] = await Promise.all([
    selectGroups(db, filter, { interval, time_zone }),
    selectSlots(db, period, { interval, time_zone }),
    selectTimes(db, filter),
    selectTotals(db, before),
    selectTimes(db, before),
  ]);
  const of = (kind: GroupRow['kind']) => groups.filter((row) => row.kind === kind && row.sent > 0);
  const bySlot = new Map(of('slot').map((row) => [row.slot, countsOf(row)]));
  const names = await keyNames(
    db,
    account_id,
    of('api_key').map(({ api_key_id }) => api_key_id as string),
  );
  return {
    from: period.from.toISOString(),
    to: period.to.toISOString(),
    time_zone,
    interval,
    totals: totalsOf(sumOf(of('channel')), times),
    before: totalsOf(countsBefore, timesBefore),
    series: slots.map((at) => ({ ...NO_COUNTS, ...bySlot.get(at), at })),
    by_channel: of('channel')
      .filter(({ channel }) => CHANNELS.includes(channel as Channel))
      .map((row) => ({ ...countsOf(row), channel: row.channel as Channel })),
    by_country: of('country').map((row) => ({ ...countsOf(row), country: row.country || null })),
    by_api_key: of('api_key').map((row) => ({
      ...countsOf(row),
      api_key: { id: row.api_key_id as string, name: names.get(row.api_key_id as string) ?? '' },
    })),
    times: times.map(({ bucket, verified }) => ({ ...boundsOf(bucket), verified })),
  };
}

const countsOf = ({
  kind: _kind,
  slot: _slot,
  channel: _channel,
  country: _country,
  api_key_id: _id,
  ...counts
}: GroupRow): Counts => counts;

const sumOf = (rows: readonly Counts[]): Counts => {
  const sum = { ...NO_COUNTS };
  for (const row of rows) for (const name of COUNT_NAMES) sum[name] += row[name];
  return sum;
};

const totalsOf = (counts: Counts, times: readonly Bucket[]): Totals => ({
  ...counts,
  conversion: conversionOf(counts),
  median_seconds: quantileOf(times, 0.5),
  p95_seconds: quantileOf(times, 0.95),
});
