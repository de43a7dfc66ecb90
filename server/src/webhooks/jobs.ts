import type { Job } from '../platform/queue/job.ts';
import { leasedQueue } from '../platform/queue/leased-queue.ts';
import { type AttemptResult, createSettle, type DeliveryApp, sendOnce } from './delivery.ts';
import {
  type Claimed,
  claimDeliveries,
  freeClaimsOf,
  releaseClaim,
  releaseOrphanedClaims,
} from './delivery-queries.ts';

/** Deliveries in flight per endpoint, over all processes. */
const PER_ENDPOINT = 4;
/** Deliveries in flight in one process. */
const MAX_IN_FLIGHT = 64;
/** Slow endpoints hold sockets but do not block the queue. */
const SLOW = { afterMs: 1_000, most: 512 };
/** The pause after an error in Sixdigit itself; an immediate retry would only repeat it. */
const PAUSE_SECONDS = 60;

/**
 * Delivers due messages at least once, with a fair share for every endpoint. A message leaves the queue only after its
 * response.
 */
export const webhookJobs = (app: DeliveryApp): Job[] => [
  leasedQueue<Claimed, AttemptResult>(app, {
    name: 'webhooks',
    everyMs: 500,
    idField: 'message_id',
    slots: { all: MAX_IN_FLIGHT },
    yields: SLOW,
    claim: ({ worker_id, claim, free }) =>
      claimDeliveries(app.db, { worker_id, claim, most: free.all, per_endpoint: PER_ENDPOINT }),
    process: (claimed) => sendOnce(app, claimed),
    finish: createSettle(app),
    release: ({ id, claim }) => releaseClaim(app.db, { id, claim, seconds: PAUSE_SECONDS }),
    releaseOrphans: (worker_id, held) => releaseOrphanedClaims(app.db, worker_id, held),
    releaseDead: (worker_ids) => freeClaimsOf(app.db, worker_ids),
    // The endpoint of a finished delivery may take its next one.
    wakesAfterEach: true,
  }),
];
