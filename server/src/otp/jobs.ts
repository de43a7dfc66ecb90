import type { Needs } from '../platform/platform.ts';
import type { Job } from '../platform/queue/job.ts';
import { deliveryJob } from './dispatch-queue.ts';

const BATCH_SIZE = 500;

/** Expires verifications at most five seconds late, and erases codes that can no longer be sent. */
function sweepJob(app: Needs<'db' | 'wakeups'>): Job {
  return {
    name: 'sweep',
    everyMs: 2_000,
    async run() {
      const { swept, wiped } = await app.db.one<{ swept: number; wiped: number }>(
        'select sweep_expired($1) as swept, wipe_codes($1) as wiped',
        [BATCH_SIZE],
      );
      if (swept > 0) app.wakeups.notify('webhooks');
      return swept === BATCH_SIZE || wiped === BATCH_SIZE;
    },
  };
}

export const otpJobs = (app: Parameters<typeof deliveryJob>[0]): Job[] => [deliveryJob(app), sweepJob(app)];
