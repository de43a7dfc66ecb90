import type { Needs } from '../platform/platform.ts';
import type { Job } from '../platform/queue/job.ts';
import type { Protection } from './protection.ts';
import { sumDeltas } from './sums.ts';

const ROWS = 120;

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
