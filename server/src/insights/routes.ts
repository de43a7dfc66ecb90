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
import { daysOf, hoursOf, intervalOf, periodBefore, periodOf } from './periods.ts';
import {
  type GroupRow,
  type InsightFilter,
  type Slots,
  selectGroups,
  selectSeries,
  selectSlots,
  selectTimes,
  selectTotals,
  selectTotalTimes,
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
  const slots: Slots = { interval: intervalOf(period, now), time_zone };
  const filter: InsightFilter = {
    account_id,
    channel: query.channel ?? null,
    country: query.country ?? null,
    api_key_id: query.api_key ?? null,
  };
  const isFiltered = Boolean(query.channel ?? query.country ?? query.api_key);
  const days = daysOf(period);
  const isByDay = slots.interval === 'day';
  // Days of UTC have rows of their own. Days of other zones are added up from hours.
  const parts = isFiltered && isByDay && time_zone === 'UTC' ? days : hoursOf(period, isFiltered || !isByDay);
  const before = daysOf(periodBefore(period));
  const [starts, series, slotTimes, totals, groups, times, countsBefore, timesBefore] = await Promise.all([
    selectSlots(db, period, slots),
    selectSeries(db, filter, parts, slots),
    selectTimes(db, filter, parts, slots),
    selectTotals(db, filter, days),
    selectGroups(db, filter, days),
    selectTotalTimes(db, filter, days),
    selectTotals(db, filter, before),
    selectTotalTimes(db, filter, before),
  ]);
  const bySlot = new Map(series.map(({ slot, ...counts }) => [slot, counts]));
  const timesBySlot = Map.groupBy(slotTimes, ({ slot }) => slot);
  const of = (kind: GroupRow['kind']) => groups.filter((row) => row.kind === kind && row.sent > 0);
  const names = await keyNames(
    db,
    account_id,
    of('api_key').map(({ api_key_id }) => api_key_id as string),
  );
  return {
    from: period.from.toISOString(),
    to: period.to.toISOString(),
    time_zone,
    interval: slots.interval,
    totals: totalsOf(totals, times),
    before: totalsOf(countsBefore, timesBefore),
    series: starts.map((at) => ({
      ...totalsOf(bySlot.get(at) ?? NO_COUNTS, timesBySlot.get(at) ?? []),
      at,
    })),
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
  channel: _channel,
  country: _country,
  api_key_id: _id,
  ...counts
}: GroupRow): Counts => counts;

const totalsOf = (counts: Counts, times: readonly Bucket[]): Totals => ({
  ...counts,
  conversion: conversionOf(counts),
  median_seconds: quantileOf(times, 0.5),
  p95_seconds: quantileOf(times, 0.95),
});
