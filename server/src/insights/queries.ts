import { COUNT_NAMES, type Counts } from '#contract/insights.ts';
import { type Params, paramsOf } from '../platform/db/list.ts';
import type { Db, Queryable, Tx } from '../platform/db/sql.ts';
import type { Interval, Window } from './periods.ts';

/** Adds waiting deltas to the counts, under the lock `insights`. Returns how many there were. */
export const foldDeltas = async (tx: Tx, most: number): Promise<number> =>
  (await tx.one<{ n: number }>('select fold_insights($1) as n', [most])).n;

/** Merges rows of five minutes into hours once the shortest range no longer needs them. Returns the number of merged rows. */
export const mergeHours = async (tx: Tx, most: number): Promise<number> =>
  (
    await tx.one<{ n: number }>(
      `select merge_insights(date_trunc('hour', clock_now(), 'UTC') - interval '3 hours', $1) as n`,
      [most],
    )
  ).n;

export interface InsightFilter {
  account_id: string;
  channel: string | null;
  country: string | null;
  api_key_id: string | null;
}

const WIDTHS: Record<Window['rows'], string> = {
  parts: `minutes in (5, 60) and channel <> '*'`,
  days: 'minutes = 1440',
  hours_of_all: `minutes = 60 and channel = '*'`,
};

/** The rows of a table in these windows that match the filter, and their parameters. */
function rowsOf(
  table: 'insight_counts' | 'insight_times',
  { account_id, channel, country, api_key_id }: InsightFilter,
  windows: readonly Window[],
): { rows: string; params: Params } {
  const params = paramsOf();
  const account = params.add(account_id);
  const matching = [
    ...(channel === null ? [] : [`channel = ${params.add(channel)}`]),
    ...(country === null ? [] : [`country = ${params.add(country)}`]),
    ...(api_key_id === null ? [] : [`api_key_id = ${params.add(api_key_id)}`]),
  ];
  const parts = windows.map(({ rows, from, to }) =>
    [
      `select * from ${table} where account_id = ${account} and ${WIDTHS[rows]}`,
      `at >= ${params.add(from)} and at < ${params.add(to)}`,
      ...matching,
    ].join(' and '),
  );
  return { rows: parts.join(' union all '), params };
}

const SUMS = COUNT_NAMES.map((name) => `coalesce(sum(${name}), 0)::integer as ${name}`).join(', ');

/** What a time is cut to, and the step to the next slot. Rows begin at whole minutes, so cutting to the minute changes nothing. */
const SLOTS: Record<Interval, { unit: string; step: string }> = {
  five_minutes: { unit: 'minute', step: '5 minutes' },
  hour: { unit: 'hour', step: '1 hour' },
  day: { unit: 'day', step: '1 day' },
};
export interface Slots {
  interval: Interval;
  time_zone: string;
}
const slotOf = ({ interval, time_zone }: Slots, params: Params): string =>
  `date_trunc('${SLOTS[interval].unit}', at, ${params.add(time_zone)})`;

/** Counts of each slot with traffic, by its start in ISO 8601. */
export function selectSeries(
  sql: Queryable,
  filter: InsightFilter,
  windows: readonly Window[],
  slots: Slots,
): Promise<(Counts & { slot: string })[]> {
  const { rows, params } = rowsOf('insight_counts', filter, windows);
  return sql.rows(
    `select ${slotOf(slots, params)} as slot, ${SUMS} from (${rows}) r group by 1`,
    params.values,
  );
}

/** How many right codes took how long, by slot. */
export function selectTimes(
  sql: Queryable,
  filter: InsightFilter,
  windows: readonly Window[],
  slots: Slots,
): Promise<{ slot: string; bucket: number; verified: number }[]> {
  const { rows, params } = rowsOf('insight_times', filter, windows);
  return sql.rows(
    `select ${slotOf(slots, params)} as slot, bucket, sum(verified)::integer as verified
     from (${rows}) r group by 1, 2 having sum(verified) > 0 order by 2`,
    params.values,
  );
}

/** One scan, summed by channel, by country and by key. The columns of the other groups are null. */
export interface GroupRow extends Counts {
  kind: 'channel' | 'country' | 'api_key';
  channel: string | null;
  country: string | null;
  api_key_id: string | null;
}

export function selectGroups(
  sql: Queryable,
  filter: InsightFilter,
  windows: readonly Window[],
): Promise<GroupRow[]> {
  const { rows, params } = rowsOf('insight_counts', filter, windows);
  return sql.rows<GroupRow>(
    `select case when grouping(channel) = 0 then 'channel' when grouping(country) = 0 then 'country' else 'api_key' end as kind,
       channel, country, api_key_id, ${SUMS}
     from (${rows}) r group by grouping sets ((channel), (country), (api_key_id))
     order by kind, sent desc, channel, country, api_key_id`,
    params.values,
  );
}

export function selectTotals(
  sql: Queryable,
  filter: InsightFilter,
  windows: readonly Window[],
): Promise<Counts> {
  const { rows, params } = rowsOf('insight_counts', filter, windows);
  return sql.one<Counts>(`select ${SUMS} from (${rows}) r`, params.values);
}

export function selectTotalTimes(
  sql: Queryable,
  filter: InsightFilter,
  windows: readonly Window[],
): Promise<{ bucket: number; verified: number }[]> {
  const { rows, params } = rowsOf('insight_times', filter, windows);
  return sql.rows(
    `select bucket, sum(verified)::integer as verified from (${rows}) r
     group by bucket having sum(verified) > 0 order by bucket`,
    params.values,
  );
}

const BATCH = 'ctid = any (array(select ctid from $table where account_id = $1 limit $2))';

/** Deletes up to `most` rows of a deleted account. Returns the number of deleted rows. */
export async function deleteInsightsOf(
  db: Db,
  { account_id, most }: { account_id: string; most: number },
): Promise<number> {
  for (const table of ['insight_deltas', 'insight_counts', 'insight_times']) {
    const deleted = await db.run(`delete from ${table} where ${BATCH.replace('$table', table)}`, [
      account_id,
      most,
    ]);
    if (deleted >= most) return deleted;
  }
  return 0;
}

/** The starts of all slots from `from` until `to`, in the time zone, so that periods without traffic show as zero. */
export const selectSlots = async (
  sql: Queryable,
  { from, to }: { from: Date; to: Date },
  { interval, time_zone }: Slots,
): Promise<string[]> => {
  const { unit, step } = SLOTS[interval];
  const first = `date_trunc('${unit}', $1::timestamptz, $3)`;
  const rows = await sql.rows<{ slot: string }>(
    // Days follow the local calendar, so that a day of 23 or 25 hours stays one slot; hours and minutes are of equal length.
    interval === 'day'
      ? `select s at time zone $3 as slot from generate_series(
           ${first} at time zone $3, $2::timestamptz at time zone $3 - interval '1 microsecond', interval '${step}') s`
      : `select s as slot from generate_series(${first}, $2::timestamptz - interval '1 microsecond', interval '${step}') s`,
    [from, to, time_zone],
  );
  return rows.map(({ slot }) => slot);
};
