import { runSql } from './database-url.ts';

/**
 * Moves the time that every statement of this database sees by so many milliseconds against the real time.
 * Statements that are already running keep theirs.
 */
export async function shiftDatabaseClock(url: string, ms: number): Promise<void> {
  await runSql(
    url,
    `create or replace function clock_now() returns timestamptz language sql stable
     as $$ select now() + interval '${Math.trunc(ms)} milliseconds' $$`,
  );
}

/** Every statement sees this very time, until the clock is moved again. */
export const stopDatabaseClock = (url: string, at: Date): Promise<void> =>
  runSql(
    url,
    `create or replace function clock_now() returns timestamptz language sql stable
     as $$ select timestamptz '${at.toISOString()}' $$`,
  );
