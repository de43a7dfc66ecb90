import { tryLock } from '../platform/db/advisory-locks.ts';
import type { Needs } from '../platform/platform.ts';
import type { Job } from '../platform/queue/job.ts';
import { foldDeltas, mergeHours } from './queries.ts';

const FOLD_EVERY_MS = 5_000;
const MERGE_EVERY_MS = 10 * 60_000;
const BATCH_SIZE = 20_000;

export const insightJobs = ({ db }: Needs<'db'>): Job[] => [
  {
    name: 'insights',
    everyMs: FOLD_EVERY_MS,
    run: () =>
      db.transaction(
        async (tx) => (await tryLock(tx, 'insights')) && (await foldDeltas(tx, BATCH_SIZE)) === BATCH_SIZE,
      ),
  },
  {
    name: 'insight-hours',
    everyMs: MERGE_EVERY_MS,
    run: () =>
      db.transaction(
        async (tx) => (await tryLock(tx, 'insights')) && (await mergeHours(tx, BATCH_SIZE)) === BATCH_SIZE,
      ),
  },
];
