import type { Job } from '../../platform/queue/job.ts';
import { leasedQueue } from '../../platform/queue/leased-queue.ts';
import { type NextApp, startNext } from './next.ts';
import {
  type ClaimedPlan,
  claimPlans,
  deletePlan,
  freePlan,
  freePlansOf,
  freeUnknownPlans,
} from './queries.ts';

/** Steps that one process starts at the same time. They form the batches in which sends are decided. */
const MAX_IN_FLIGHT = 128;
/** After a failure of the service, such as a database that is unavailable. */
const PAUSE_SECONDS = 5;

/** Starts the next steps of plans that are due. */
export const planQueue = (app: NextApp): Job =>
  leasedQueue<ClaimedPlan, 'over' | 'moved'>(app, {
    name: 'plans',
    everyMs: 500,
    idField: 'otp_id',
    slots: { all: MAX_IN_FLIGHT },
    claim: ({ worker_id, claim, free }) => claimPlans(app.db, { worker_id, claim, most: free.all }),
    process: (plan) => startNext(app, plan),
    finish: (plan, outcome) => (outcome === 'over' ? deletePlan(app.db, plan.id) : freePlan(app.db, plan)),
    release: (plan) => freePlan(app.db, plan, PAUSE_SECONDS),
    releaseOrphans: (worker_id, held) => freeUnknownPlans(app.db, worker_id, held),
    releaseDead: (worker_ids) => freePlansOf(app.db, worker_ids),
  });
