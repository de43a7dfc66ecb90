import { uuidFloor } from '../security/random.ts';
import type { Queryable, Tx } from './sql.ts';

/** Lists with daily counts by API key. `routes` counts verifications by channel, country and carrier too. */
export type CountedList = 'verifications' | 'routes' | 'requests';
/** The same counts across all keys. */
export type CountedOverKeys = `all_${CountedList}`;

/** A list's filter, as conditions on its rows and on the daily counts. Values are numbered parameters. */
export interface Matching {
  list: CountedList | CountedOverKeys;
  /** `verifications v` */
  from: string;
  /** the alias in `from` */
  row: string;
  /** the condition on rows, including account and time window */
  rows: string;
  /** the same condition on `daily_counts d`, without account and time window */
  counts: string;
  account_id: string;
  from_id: string;
  /** the first whole day of the time window, such as `2026-11-21`; not a parameter, because searches do not use it */
  from_day: string;
  /** the first day after it that the window does not contain completely; null without an end */
  until_day: string | null;
}

/** The sort expression on the rows and on the daily counts. */
export interface CountedBy {
  rows: string;
  counts: string;
}

const BEYOND = `'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`;

/** The counted days of a list, such as `2026-11-21`. `until_day` is the first day after them. */
export interface CountedDays {
  from_day: string;
  until_day: string;
}

/**
 * Undefined as long as no day is counted. Also disables bitmap and sequential scans for the transaction in which `segmentsOf`
 * is used. The planner overestimates the rows outside the counted days, and would otherwise read the rows of all accounts.
 */
export async function countedDaysOf(
  tx: Tx,
  list: CountedList | CountedOverKeys,
): Promise<CountedDays | undefined> {
  const { from_day, until_day } = await tx.one<{ from_day: string | null; until_day: string | null }>(
    `select to_char(from_day, 'YYYY-MM-DD') as from_day, to_char(until_day, 'YYYY-MM-DD') as until_day,
       set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true)
     from (values ($1)) as l (list) left join counted_days using (list)`,
    [list],
  );
  return from_day === null || until_day === null ? undefined : { from_day, until_day };
}

/**
 * Common table expressions, without the `with`. `segments (value, day, low, high, n)` counts the matching rows per id range and
 * sort value. Each counted day is a segment, and so are the rows before and after the counted days. Only the latter two contain
 * their id range in `low` and `high`; a page computes those of the few days that it reads. `total (count)` is the exact number
 * of matches. A single statement reads one snapshot, so a day that is counted or removed concurrently is counted exactly once.
 * The counted days are constants, so that the planner knows which partitions lie outside them and how few rows these have. The
 * count is null if the counted days have changed since they were read; the caller then reads them again.
 */
export function segmentsOf(
  matching: Matching,
  counted: CountedDays | undefined,
  by: CountedBy = { rows: '0', counts: '0' },
): string {
  const { list, from, row, rows, counts, account_id, from_id } = matching;
  const whole = wholeDays(matching, counted);
  const rowsOf = (day: string, low: string, high: string, bound: string) => `
    select ${by.rows} as value, date '${day}' as day, ${low}::uuid as low, ${high}::uuid as high, count(*) as n
    from ${from} where ${rows}${bound} group by 1`;
  const segments = whole
    ? [
        `select ${by.counts} as value, d.day, null::uuid as low, null::uuid as high, sum(d.entries) as n from daily_counts d
         where d.account_id = ${account_id} and d.list = '${list}'
           and d.day >= ${dayLiteral(whole.from_day)} and d.day < ${dayLiteral(whole.until_day)} and ${counts} group by 1, d.day`,
        rowsOf('-infinity', from_id, startOf(whole.from_day), ` and ${row}.id < ${startOf(whole.from_day)}`),
        rowsOf('infinity', startOf(whole.until_day), BEYOND, ` and ${row}.id >= ${startOf(whole.until_day)}`),
      ]
    : [rowsOf('infinity', from_id, BEYOND, '')];
  return `segments as (${segments.join(' union all ')}), total as (
    select case when ${isCurrent(list, counted)} then coalesce(sum(n), 0) end as count from segments
  )`;
}

/** The counted days inside the window; undefined if there are none. */
function wholeDays({ from_day, until_day }: Matching, counted: CountedDays | undefined) {
  if (!counted) return undefined;
  // ISO dates sort as text
  const from = from_day > counted.from_day ? from_day : counted.from_day;
  const until = until_day !== null && until_day < counted.until_day ? until_day : counted.until_day;
  return from < until ? { from_day: from, until_day: until } : undefined;
}

const isCurrent = (list: string, counted: CountedDays | undefined): string =>
  counted
    ? `exists (select from counted_days where list = '${list}'
        and from_day = ${dayLiteral(counted.from_day)} and until_day = ${dayLiteral(counted.until_day)})`
    : `not exists (select from counted_days where list = '${list}')`;

const startOf = (day: string): string => `'${uuidFloor(new Date(`${day}T00:00:00Z`))}'::uuid`;

function dayLiteral(day: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) throw new Error(`No day: ${day}`);
  return `date '${day}'`;
}

interface Cut {
  by: CountedBy | undefined;
  descends: boolean;
  limit: string;
  offset: string;
}

/**
 * Extends `segmentsOf` with `page`: the complete rows of one page with their `place`, which sorts before the id. Only the
 * segments that contain the page are read, so a deep page costs no more than the first. Rows with equal values are sorted
 * newest first; if the list is sorted by time alone, they follow its direction.
 */
export function pageInSegments(
  matching: Matching,
  counted: CountedDays | undefined,
  { by, descends, limit, offset }: Cut,
): string {
  const { row } = matching;
  const values = descends ? 'desc' : 'asc';
  const times = by ? 'desc' : values;
  return `${segmentsOf(matching, counted, by)}, placed as (
    select *, row_number() over sorted as place,
      coalesce(sum(n) over (sorted rows between unbounded preceding and 1 preceding), 0) as before
    from segments window sorted as (order by value ${values}, day ${times})
  ), chosen as (
    select value, coalesce(low, start_of(day)) as low, coalesce(high, start_of(day + 1)) as high, place, greatest(${offset}::integer - before, 0) as skip,
      least(n, ${offset}::integer + ${limit}::integer - before) - greatest(${offset}::integer - before, 0) as take
    from placed where before < ${offset}::integer + ${limit}::integer and before + n > ${offset}::integer
  ), page as (
    select ${row}.*, c.place from chosen c cross join lateral (
      select ${row}.* from ${matching.from}
      where ${matching.rows} and ${row}.id >= c.low and ${row}.id < c.high ${by ? `and ${by.rows} = c.value` : ''}
      order by ${row}.id ${times} offset c.skip limit c.take) ${row}
    -- The page has no more rows than this, but the limit helps the planner.
    limit ${limit}::integer
  )`;
}

/**
 * The counts of the last days by account and outcome, and the lowest id of the days that are not counted yet. Both come from
 * one snapshot. The caller must count the rows from `until` on.
 */
export async function countsOfDays(
  sql: Queryable,
  list: CountedList,
  account_ids: readonly string[],
  {
    days,
    without_keys,
    without_type,
  }: { days: number; without_keys: readonly string[]; without_type: string },
): Promise<{ until: string | null; counts: { account_id: string; outcome: string; entries: number }[] }> {
  const { until, counts } = await sql.one<{
    until: string | null;
    counts: { account_id: string; outcome: string; entries: number }[];
  }>(
    `with whole as (
       select greatest(from_day, (clock_now() - make_interval(days => $3))::date) as from_day, until_day
       from counted_days where list = $1
     )
     select (select start_of(until_day) from whole) as until, coalesce((
       select json_agg(c) from (
         select d.account_id, d.outcome, sum(d.entries)::integer as entries from whole w join daily_counts d
           on d.list = $1 and d.account_id = any ($2) and d.day >= w.from_day and d.day < w.until_day
             and d.api_key_id <> all ($4::uuid[]) and d.request_type <> $5
         group by d.account_id, d.outcome) c), '[]') as counts`,
    [list, account_ids, days, without_keys, without_type],
  );
  return { until, counts };
}
