import { runSql } from './database-url.ts';

/** Shifts the time of a database by milliseconds relative to the real time. */
export const clockShift = (ms: number): string =>
  `create or replace function clock_now() returns timestamptz language sql stable
   as $$ select now() + interval '${Math.trunc(ms)} milliseconds' $$`;

/** Statements that already run use the previous shift. */
export async function shiftDatabaseClock(url: string, ms: number): Promise<void> {
  await runSql(url, clockShift(ms));
}

/** Stops the database's clock at this time until it is moved again. */
export async function stopDatabaseClock(url: string, at: Date): Promise<void> {
  await runSql(
    url,
    `create or replace function clock_now() returns timestamptz language sql stable
     as $$ select timestamptz '${at.toISOString()}' $$`,
  );
}
