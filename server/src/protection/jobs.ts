import type { Sql } from '../platform/db/sql.ts';
import type { Needs } from '../platform/platform.ts';
import type { Job } from '../platform/queue/job.ts';
import type { Protection } from './protection.ts';

const ROWS = 120;

/** Adds up to `most` seconds of deltas to the sums. Returns their number; 0 if another process is doing so. */
const sumDeltas = async (sql: Sql, most: number): Promise<number> =>
  (await sql.one<{ n: number }>('select sum_protection_deltas($1) as n', [most])).n;

/** Workers also count, because expired and failed sends end there. One worker at a time adds up the counts of all processes. */
export const protectionJobs = (app: Needs<'db'> & { protection: Protection }): Job[] => [
  {
    name: 'protection-counts',
    everyMs: 1_000,
    async run() {
      await app.protection.exchange('due');
      return false;
    },
  },
  {
    name: 'protection-sums',
    everyMs: 10_000,
    run: async () => (await sumDeltas(app.db, ROWS)) === ROWS,
  },
];
