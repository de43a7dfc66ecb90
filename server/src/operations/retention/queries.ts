import type { MonthlyTable } from '../../platform/db/retention.ts';
import type { Sql, Tx } from '../../platform/db/sql.ts';

/** Limits the lock timeout: other queries must not queue for long behind the creation or removal of a partition. */
export const waitBriefly = (tx: Tx): Promise<number> => tx.run(`set local lock_timeout = '300ms'`);

/** The first days of the current and the following months. */
export const monthsAhead = async (sql: Sql, months: number): Promise<string[]> =>
  (
    await sql.rows<{ month: string }>(
      `select to_char(date_trunc('month', clock_now() at time zone 'UTC') + make_interval(months => n), 'YYYY-MM-DD')
         as month from generate_series(0, $1::integer - 1) n`,
      [months],
    )
  ).map(({ month }) => month);

export const ensurePartitions = (tx: Tx, month: string): Promise<number> =>
  tx.run('select ensure_partitions($1::date, 1)', [month]);

/** The start of the first day to retain; never before 1970, because earlier times have no ordered ids. */
export const limitOf = async (sql: Sql, days: number): Promise<string> =>
  (
    await sql.one<{ at: string }>(
      `select greatest(date_trunc('day', clock_now() - make_interval(days => $1), 'UTC'), to_timestamp(0)) as at`,
      [days],
    )
  ).at;

/** Partitions that end before the limit. */
export const monthsBefore = async (sql: Sql, table: string, limit: string): Promise<string[]> =>
  (
    await sql.rows<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = $1::text::regclass and c.relname ~ '_[0-9]{4}_[0-9]{2}$'
         and (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') at time zone 'UTC' <= $2::timestamptz`,
      [table, limit],
    )
  ).map(({ name }) => name);

/** `name` must come from `monthsBefore`, because it is not escaped. */
export const dropMonth = (tx: Tx, name: string): Promise<number> => tx.run(`drop table "${name}"`);

export const deleteRowsBefore = (
  tx: Tx,
  { table, id, key }: MonthlyTable,
  limit: string,
  most: number,
): Promise<number> =>
  tx.run(
    `delete from ${table} where ${id} < uuid_floor($1) and (${key}) in (
       select ${key} from ${table} where ${id} < uuid_floor($1) limit $2)`,
    [limit, most],
  );
