import type { Sql } from '../../platform/db/sql.ts';

/** The start of the first day to retain. Never before 1970, because earlier times have no time-ordered ids. */
export const limitOf = async (sql: Sql, days: number): Promise<string> =>
  (
    await sql.one<{ at: string }>(
      `select greatest(date_trunc('day', clock_now() - make_interval(days => $1), 'UTC'), to_timestamp(0)) as at`,
      [days],
    )
  ).at;
