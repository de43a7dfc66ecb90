import type { Counts } from '#contract/insights.ts';
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

const MEASURES = [
  'sent',
  'dispatched',
  'delivered',
  'verified',
  'expired',
  'failed',
  'canceled',
  'exhausted',
  'superseded',
  'credits',
  'refunded',
] as const satisfies (keyof Counts)[];
const SUMS = MEASURES.map((name) => `coalesce(sum(${name}), 0)::integer as ${name}`).join(', ');

export type Interval = 'five_minutes' | 'hour' | 'day';
const SLOT: Record<Interval, string> = {
  five_minutes: 'at',
  hour: `date_trunc('hour', at, $7)`,
  day: `date_trunc('day', at, $7)`,
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
    `with c as (select *, ${SLOT[interval]} as slot from insight_counts where ${MATCHING} and $7::text is not null)
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
  const first = interval === 'five_minutes' ? `date_bin('5 minutes', $1, 'epoch')` : `date_trunc($4, $1, $3)`;
  const step = { five_minutes: '5 minutes', hour: '1 hour', day: '1 day' }[interval];
  const rows = await sql.rows<{ slot: string }>(
    // Days follow the local calendar, so that a day of 23 or 25 hours stays one slot; hours and minutes are of equal length.
    interval === 'day'
      ? `select s at time zone $3 as slot from generate_series(
           (${first}) at time zone $3, $2::timestamptz at time zone $3 - interval '1 microsecond', interval '${step}') s`
      : `select s as slot from generate_series(${first}, $2::timestamptz - interval '1 microsecond', interval '${step}') s
         where $3::text is not null and $4::text is not null`,
    [from, to, time_zone, interval],
  );
  return rows.map(({ slot }) => slot);
};
