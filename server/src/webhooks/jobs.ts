import { isDatabaseUnavailable } from '../platform/db/sql.ts';
import { batcher } from '../platform/queue/batcher.ts';
import type { Job } from '../platform/queue/job.ts';
import { leasedQueue } from '../platform/queue/leased-queue.ts';
import { type AttemptResult, type DeliveryApp, deliveredOf, sendOnce, settleFailure } from './delivery.ts';
import {
  type Claimed,
  claimDeliveries,
  type Delivered,
  finishDelivered,
  freeClaimsOf,
  releaseClaim,
  releaseOrphanedClaims,
} from './delivery-queries.ts';

/** Deliveries in flight per endpoint, over all processes. */
const PER_ENDPOINT = 4;
/** Deliveries in flight in one process. */
const MAX_IN_FLIGHT = 64;
/**
 * A delivery that takes longer than SLOW_MS gives up its place, up to SLOW_MOST of them, so that slow endpoints hold sockets
 * but do not block the queue.
 */
const SLOW_MS = 1_000;
const SLOW_MOST = 512;
/** The pause after an error in Sixdigit itself; an immediate retry would only repeat it. */
const PAUSE_SECONDS = 60;

/**
 * Delivers due messages at least once, with a fair share for every endpoint. A message leaves the queue only after its
 * response.
 */
export function webhookJobs(app: DeliveryApp): Job[] {
  let slow = 0;

  const successes = batcher<Delivered, void>({
    run: async (all) => {
      await finishDelivered(app.db, all);
      return all.map(() => undefined);
    },
    most: 128,
    isOutage: isDatabaseUnavailable,
  });

  const send = async (claimed: Claimed): Promise<AttemptResult> => {
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      slow++;
      app.wakeups.notify('webhooks');
    }, SLOW_MS);
    try {
      return await sendOnce(app, claimed);
    } finally {
      clearTimeout(timer);
      if (isSlow) slow--;
    }
  };

  return [
    leasedQueue<Claimed, AttemptResult>(app, {
      name: 'webhooks',
      everyMs: 500,
      idField: 'message_id',
      slots: { all: () => MAX_IN_FLIGHT + Math.min(slow, SLOW_MOST) },
      claim: ({ worker_id, claim, free }) =>
        claimDeliveries(app.db, { worker_id, claim, most: free.all, per_endpoint: PER_ENDPOINT }),
      process: send,
      finish: (claimed, outcome) =>
        outcome.succeeded
          ? successes.submit(deliveredOf(claimed, outcome))
          : settleFailure(app, claimed, outcome),
      release: ({ id, claim }) => releaseClaim(app.db, { id, claim, seconds: PAUSE_SECONDS }),
      releaseOrphans: (worker_id, held) => releaseOrphanedClaims(app.db, worker_id, held),
      releaseDead: (worker_ids) => freeClaimsOf(app.db, worker_ids),
      // The endpoint of a finished delivery may take its next one.
      wakesAfterEach: true,
    }),
  ];
}
