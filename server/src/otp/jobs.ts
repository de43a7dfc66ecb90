import type { Needs } from '../platform/platform.ts';
import type { Job } from '../platform/queue/job.ts';
import type { Protection } from '../protection/protection.ts';
import { type Changed, countEnds, countedEventOf, type EndedSend } from './change.ts';
import type { Deliveries } from './dispatch/queue.ts';
import { feedbackQueue } from './feedback.ts';
import { countNextCosts } from './list/unverified-costs.ts';
import type { NextApp } from './plans/next.ts';
import { planQueue } from './plans/queue.ts';

const BATCH_SIZE = 500;

interface Swept {
  looked_at: number;
  ended?: (Omit<EndedSend, 'event'> & Changed)[] | null;
}

const endsOf = ({ ended }: Swept): EndedSend[] =>
  (ended ?? []).flatMap((one) => {
    const event = countedEventOf(one, one.previous_status === 'sent');
    return event ? [{ ...one, event }] : [];
  });

/** Expires verifications at most five seconds late, and erases codes that can no longer be sent. */
function sweepJob(app: Needs<'db' | 'clock' | 'wakeups'> & { protection: Pick<Protection, 'guard'> }): Job {
  return {
    name: 'sweep',
    everyMs: 2_000,
    async run() {
      const { swept, wiped } = await app.db.one<{ swept: Swept; wiped: number }>(
        'select end_expired($1) as swept, wipe_codes($1) as wiped',
        [BATCH_SIZE],
      );
      countEnds(app.protection.guard, app.clock.now().getTime(), endsOf(swept));
      if (swept.looked_at > 0) app.wakeups.notify('webhooks');
      return swept.looked_at === BATCH_SIZE || wiped === BATCH_SIZE;
    },
  };
}

export const otpJobs = (
  app: NextApp & Parameters<typeof feedbackQueue>[0] & { deliveries: Deliveries },
): Job[] => [
  app.deliveries,
  planQueue(app),
  feedbackQueue(app),
  sweepJob(app),
  { name: 'prefix-costs', everyMs: 600_000, run: () => countNextCosts(app) },
];
