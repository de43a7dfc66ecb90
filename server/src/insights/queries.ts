import { COUNT_NAMES, type Counts } from '#contract/insights.ts';
import type { Queryable, Tx } from '../platform/db/sql.ts';

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
  from: Date;
  to: Date;
  channel: string | null;
  country: string | null;
  api_key_id: string | null;
}

const MATCHING = `account_id = $1 and at >= $2 and at < $3
  and ($4::text is null or channel = $4) and ($5::text is null or country = $5) and ($6::uuid is null or api_key_id = $6)`;
const valuesOf = ({ account_id, from, to, channel, country, api_key_id }: InsightFilter) => [
  account_id,
  from,
  to,
  channel,
  country,
  api_key_id,
];

const SUMS = COUNT_NAMES.map((name) => `coalesce(sum(${name}), 0)::integer as ${name}`).join(', ');

export type Interval = 'five_minutes' | 'hour' | 'day';
/** What a time is cut to, and the step to the next slot. Rows begin at whole minutes, so cutting to the minute changes nothing. */
const SLOTS: Record<Interval, { unit: string; step: string }> = {
  five_minutes: { unit: 'minute', step: '5 minutes' },
  hour: { unit: 'hour', step: '1 hour' },
  day: { unit: 'day', step: '1 day' },
};

/** One scan, summed by slot, by channel, by country and by key. The columns of the other groups are null. */
export interface GroupRow extends Counts {
  kind: 'slot' | 'channel' | 'country' | 'api_key';
  /** start, in ISO 8601 */
  slot: string | null;
  channel: string | null;
  country: string | null;
  api_key_id: string | null;
}

export const selectGroups = (
  sql: Queryable,
  filter: InsightFilter,
  { interval, time_zone }: { interval: Interval; time_zone: string },
): Promise<GroupRow[]> =>
  sql.rows<GroupRow>(
    `with c as (select *, date_trunc('${SLOTS[interval].unit}', at, $7) as slot from insight_counts where ${MATCHING})
     select case when grouping(slot) = 0 then 'slot' when grouping(channel) = 0 then 'channel'
         when grouping(country) = 0 then 'country' else 'api_key' end as kind,
       slot, channel, country, api_key_id, ${SUMS}
     from c group by grouping sets ((slot), (channel), (country), (api_key_id))
     order by kind, slot, sent desc, channel, country, api_key_id`,
    [...valuesOf(filter), time_zone],
  );

export const selectTotals = (sql: Queryable, filter: InsightFilter): Promise<Counts> =>
  sql.one<Counts>(`select ${SUMS} from insight_counts where ${MATCHING}`, valuesOf(filter));

export const selectTimes = (
  sql: Queryable,
  filter: InsightFilter,
): Promise<{ bucket: number; verified: number }[]> =>
  sql.rows(
    `select bucket, sum(verified)::integer as verified from insight_times where ${MATCHING}
     group by bucket having sum(verified) > 0 order by bucket`,
    valuesOf(filter),
  );

/** The starts of all slots from `from` until `to`, in the time zone, so that periods without traffic show as zero. */
export const selectSlots = async (
  sql: Queryable,
  { from, to }: { from: Date; to: Date },
  { interval, time_zone }: { interval: Interval; time_zone: string },
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
