/**
 * Counts each day once, after it has ended and its rows are final, because codes are valid for at most an hour. Days are
 * counted in order and without gaps. Queries count older and newer days row by row. A row that is written later drops the
 * counts from its day on (`recount_late_rows`), under this job's lock.
 */

import type { Needs } from '../platform.ts';
import { lock, tryLock } from './advisory-locks.ts';
import type { CountedList, CountedOverKeys } from './daily-counts.ts';
import type { CountedTable } from './retention.ts';
import type { Tx } from './sql.ts';

const DAYS_AT_ONCE = 31;
/** Delay between the end of a day and its count. */
const SETTLED = `interval '2 hours'`;

/** Counts the next days of a table. Returns true if more may be due. */
export const countNextDays = ({ db }: Needs<'db'>, table: string, counted: CountedTable): Promise<boolean> =>
  db.transaction(async (tx) => {
    const { list, settledUntil } = counted;
    if (!(await tryLock(tx, 'dailyCounts'))) return false;
    const { from_day, over_day } = await nextDays(tx, table, list);
    const until_day = settledUntil ? await settledUntil(tx, from_day, over_day) : over_day;
    if (until_day <= from_day) return false;
    await insertCounts(tx, table, { ...counted, from_day, until_day });
    await tx.run(
      `insert into counted_days (list, from_day, until_day) values ($1, $2, $3)
       on conflict (list) do update set until_day = excluded.until_day`,
      [list, from_day, until_day],
    );
    return true;
  });

/**
 * The days to count: from the first uncounted day (initially the start of the oldest month) up to, but not including, the first
 * day that has not ended.
 */
const nextDays = (
  tx: Tx,
  table: string,
  list: CountedList,
): Promise<{ from_day: string; over_day: string }> =>
  tx.one(
    `select to_char(from_day, 'YYYY-MM-DD') as from_day,
       to_char(least(from_day + $2::integer, ((clock_now() - ${SETTLED}) at time zone 'UTC')::date), 'YYYY-MM-DD') as over_day
     from (
       select coalesce(
         (select until_day from counted_days where list = $1),
         (select min(to_date(right(c.relname, 7), 'YYYY_MM')) from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where i.inhparent = $3::text::regclass and c.relname ~ '_[0-9]{4}_[0-9]{2}$')) as from_day
     ) d`,
    [list, DAYS_AT_ONCE, table],
  );

const insertCounts = (
  tx: Tx,
  table: string,
  { list, kinds, route, from_day, until_day }: CountedTable & { from_day: string; until_day: string },
): Promise<number> =>
  tx.run(
    `insert into daily_counts (account_id, list, day, api_key_id, outcome, request_type, credits, channel, country, carrier,
       entries)
     select account_id, '${list}', day_of(id), api_key_id, ${kinds}, ${route ?? `'', '', ''`}, count(*) from ${table}
     where id >= start_of($1::date) and id < start_of($2::date) group by 1, 3, 4, 5, 6, 7, 8, 9, 10`,
    [from_day, until_day],
  );

/** Sums the counts of the next days across all keys. Returns true if more may be due. */
export const sumNextDays = ({ db }: Needs<'db'>, { list }: CountedTable): Promise<boolean> =>
  db.transaction(async (tx) => {
    if (!(await tryLock(tx, 'dailyCounts'))) return false;
    // A single statement, so that days that retention removes concurrently are either summed or left out completely.
    return (
      (await tx.run(
        `with days as (
           select d.from_day, least(d.from_day + $3::integer, d.until_day) as until_day from (
             select greatest(c.from_day, own.until_day) as from_day, c.until_day
             from counted_days c left join counted_days own on own.list = $2 where c.list = $1) d
           where d.from_day < d.until_day
         ), summed as (
           insert into daily_counts (account_id, list, day, api_key_id, outcome, request_type, credits, channel, country, carrier,
             entries)
           select c.account_id, $2, c.day, '00000000-0000-0000-0000-000000000000', c.outcome, c.request_type, c.credits,
             c.channel, c.country, c.carrier, sum(c.entries)
           from days join daily_counts c on c.list = $1 and c.day >= days.from_day and c.day < days.until_day
           group by 1, 3, 5, 6, 7, 8, 9, 10
         )
         insert into counted_days as own (list, from_day, until_day) select $2, from_day, until_day from days
         on conflict (list) do update set until_day = excluded.until_day,
           from_day = case when own.until_day = excluded.from_day then own.from_day else excluded.from_day end`,
        [list, overKeys(list), DAYS_AT_ONCE],
      )) > 0
    );
  });

/**
 * Counts the next day of counts with their own table, after the daily counts of `after`, whose rows are final by then. Starts at
 * most `days` ago. `count` replaces the counts from this day on. Returns true if more may be due.
 */
export const countNextDay = (
  { db }: Needs<'db'>,
  { list, after, days }: { list: string; after: CountedList; days: number },
  count: (tx: Tx, day: string) => Promise<unknown>,
): Promise<boolean> =>
  db.transaction(async (tx) => {
    if (!(await tryLock(tx, 'dailyCounts'))) return false;
    const due = await tx.maybe<{ day: string }>(
      `select to_char(n.day, 'YYYY-MM-DD') as day from counted_days c
       left join counted_days own on own.list = $1
       cross join lateral (
         select greatest(own.until_day, c.from_day, (clock_now() at time zone 'UTC')::date - $3::integer) as day) n
       where c.list = $2 and n.day < c.until_day`,
      [list, after, days],
    );
    if (!due) return false;
    await count(tx, due.day);
    await tx.run(
      `insert into counted_days (list, from_day, until_day) values ($1, $2::date, $2::date + 1)
       on conflict (list) do update set until_day = excluded.until_day`,
      [list, due.day],
    );
    return true;
  });

/** The first day without counts, as SQL; null if no day is counted. */
export const uncountedFrom = (list: string): string =>
  `(select until_day from counted_days where list = '${list}')`;

const overKeys = (list: CountedList): CountedOverKeys => `all_${list}`;

/** Drops the counts before this day, so that queries count these days row by row. Call it before deleting their rows. */
export async function forgetCountsBefore(tx: Tx, list: CountedList, day: string): Promise<number> {
  // Locks the rows in the same order as `recount_late_rows`, so that the two cannot deadlock.
  await tx.run('select from counted_days where list = any ($1) order by list for update', [
    [list, overKeys(list)],
  ]);
  await tx.run(
    `update counted_days set from_day = greatest(from_day, $2::date), until_day = greatest(until_day, $2::date)
     where list = any ($1)`,
    [[list, overKeys(list)], day],
  );
  return tx.run('delete from daily_counts where list = any ($1) and day < $2::date', [
    [list, overKeys(list)],
    day,
  ]);
}

/** Drops all counts. The job does not count any day again until the transaction has ended. */
export async function forgetCounts(tx: Tx): Promise<void> {
  await lock(tx, 'dailyCounts');
  await tx.run('delete from daily_counts');
  await tx.run('delete from counted_days');
}
