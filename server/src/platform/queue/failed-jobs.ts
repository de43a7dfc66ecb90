import type { Queryable, Sql } from '../db/sql.ts';
import { maskedText } from '../security/masks.ts';
import type { Job } from './job.ts';

/** A job whose runs failed in the last day. */
export interface FailedJob {
  name: string;
  failures: number;
  last_failed_at: string;
  last_error: string;
}

const ERROR_MOST = 300;

/** Counts failures until a job has not failed for a day. The error is stored without recipients. */
export const noteFailure = (sql: Sql, { name }: Pick<Job, 'name'>, error: unknown): Promise<number> =>
  sql.run(
    `insert into job_failures as f (job, failures, last_failed_at, last_error) values ($1, 1, clock_now(), $2)
     on conflict (job) do update set last_failed_at = excluded.last_failed_at, last_error = excluded.last_error,
       failures = case when f.last_failed_at < clock_now() - interval '1 day' then 1 else f.failures + 1 end`,
    [name, textOf(error)],
  );

const textOf = (error: unknown): string =>
  maskedText(error instanceof Error ? error.message : String(error))
    .replaceAll('\0', '')
    .slice(0, ERROR_MOST)
    .toWellFormed();

/** The latest first. */
export const selectFailedJobs = (sql: Queryable): Promise<FailedJob[]> =>
  sql.rows<FailedJob>(
    `select job as name, failures, last_failed_at, last_error from job_failures
     where last_failed_at > clock_now() - interval '1 day' order by job_failures.last_failed_at desc, job`,
  );
