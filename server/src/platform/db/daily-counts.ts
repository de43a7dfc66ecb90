import type { Queryable } from './sql.ts';

/** Lists that have daily counts by key. `routes` are verifications counted by channel, country and carrier too. */
export type CountedList = 'verifications' | 'routes' | 'requests';
/** The same counts over all keys. */
export type CountedOverKeys = `all_${CountedList}`;

/** The filter of a list, as conditions on its rows and on the daily counts. Values are parameters by number. */
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
  /** the first whole day of the time window, such as `2026-11-21`; the only inlined value, because a search does not use it */
  from_day: string;
  /** the first day of which the window has no whole; null without an end */
  until_day: string | null;
}

/** The sort expression on the rows and on the daily counts. */
export interface CountedBy {
  rows: string;
  counts: string;
}

const BEYOND = `'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`;

/**
 * Common table expressions, without the `with`. `segments (value, day, low, high, n)` counts the matching rows per id range and
 * sort value: one segment per counted day, and one before and one after the counted days, which alone name their ids: a page computes
 * those of the few days that it reads. `total (count)` is the exact number of
 * matches. A single statement reads one snapshot, so a day that is counted or removed concurrently is counted once.
 */
export function segmentsOf(matching: Matching, by: CountedBy = { rows: '0', counts: '0' }): string {
  const { list, from, row, rows, counts, account_id, from_id, from_day, until_day } = matching;
  const until = until_day === null ? 'until_day' : `least(until_day, ${dayLiteral(until_day)})`;
  return `whole as (
    select greatest(from_day, ${dayLiteral(from_day)}) as from_day, ${until} as until_day from counted_days where list = '${list}'
  ), ends as (
    select start_of(from_day) as low, start_of(until_day) as high from whole where from_day < until_day
  ), segments as (
    select ${by.counts} as value, d.day, null::uuid as low, null::uuid as high, sum(d.entries) as n
    from whole w join daily_counts d
      on d.account_id = ${account_id} and d.list = '${list}' and d.day >= w.from_day and d.day < w.until_day
    where ${counts} group by 1, d.day
    union all
    select ${by.rows}, date '-infinity', ${from_id}::uuid, coalesce((select low from ends), ${BEYOND}), count(*)
    from ${from} where ${rows} and ${row}.id < coalesce((select low from ends), ${BEYOND}) group by 1
    union all
    select ${by.rows}, date 'infinity', (select high from ends), ${BEYOND}, count(*)
    from ${from} where ${rows} and ${row}.id >= coalesce((select high from ends), ${BEYOND}) group by 1
  ), total as (
    select coalesce(sum(n), 0) as count from segments
  )`;
}

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
 * One page on top of `segmentsOf`, as `page`: whole rows with their `place`, which sorts before the id. Only the segments that
 * contain the page are read, so a deep page costs no more than the first. Rows with equal values are sorted newest first; if the
 * list is sorted by time alone, they follow its direction.
 */
export function pageInSegments(matching: Matching, { by, descends, limit, offset }: Cut): string {
  const { row } = matching;
  const values = descends ? 'desc' : 'asc';
  const times = by ? 'desc' : values;
  return `${segmentsOf(matching, by)}, placed as (
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
    -- the rows are not more than this; the limit helps the planner
    limit ${limit}::integer
  )`;
}

/**
 * The entries of the last days by account and outcome, and the lowest id of the days that are not counted yet. Both come from one
 * snapshot; the rows from `until` on are the caller's to count.
 */
export async function countsOfDays(
  sql: Queryable,
  list: CountedList,
  account_ids: readonly string[],
  { days, without_keys }: { days: number; without_keys: readonly string[] },
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
             and d.api_key_id <> all ($4::uuid[])
         group by d.account_id, d.outcome) c), '[]') as counts`,
    [list, account_ids, days, without_keys],
  );
  return { until, counts };
}
