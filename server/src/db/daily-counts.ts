/** The lists that are counted by the day. */
export type CountedList = 'verifications' | 'request_logs';

interface Counting {
  list: CountedList;
  /** `verifications v` */
  from: string;
  /** the time-ordered id in it, and the condition on it */
  id: string;
  matching: string;
  /** the same condition on `daily_counts d`, the time window aside */
  counted: string;
  /** number of the parameter that holds the first whole day of the window */
  fromDay: number;
}

const BEYOND = `'ffffffff-ffff-ffff-ffff-ffffffffffff'`;

/**
 * The statement that counts what a list matches: by the day where days are counted, row by row before and after. One
 * statement sees one state, so that a day which is being counted or removed meanwhile counts once.
 */
export const countStatement = ({ list, from, id, matching, counted, fromDay }: Counting): string => `
  with whole as (
    select greatest(from_day, $${fromDay}::date) as from_day, until_day from counted_days where list = '${list}'
  ), ends as (
    select start_of(from_day) as low, start_of(until_day) as high from whole where from_day < until_day
  )
  select coalesce((
      select sum(d.entries) from whole w
      join daily_counts d on d.list = '${list}' and d.day >= w.from_day and d.day < w.until_day
      where ${counted}), 0)
    + (select count(*) from ${from} where ${matching} and ${id} < coalesce((select low from ends), ${BEYOND}))
    + (select count(*) from ${from} where ${matching} and ${id} >= coalesce((select high from ends), ${BEYOND})) as n`;
