import { isDatabaseUnavailable } from '../platform/db/sql.ts';
import { batcher } from '../platform/queue/batcher.ts';
import type { Job } from '../platform/queue/job.ts';
import { orphanedClaims } from '../platform/queue/orphaned-claims.ts';
import { type DeliveryApp, deliveredOf, sendOnce, settleFailure } from './delivery.ts';
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
 * A delivery that takes longer than SLOW_MS frees its place for others, up to SLOW_MOST of them, so that slow endpoints hold
 * sockets but do not block the queue.
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
  /** The deliveries in flight, with their claims. */
  const inFlight = new Map<Promise<void>, string>();
  const orphans = orphanedClaims();
  let slow = 0;
  /** Deliveries claimed by this worker whose outcome could not be stored. */
  const lost: { claim: string; id: string }[] = [];

  const successes = batcher<Delivered, void>({
    run: async (all) => {
      await finishDelivered(app.db, all);
      return all.map(() => undefined);
    },
    most: 128,
    isOutage: isDatabaseUnavailable,
  });

  const deliver = async (claimed: Claimed): Promise<void> => {
    const outcome = await sendOnce(app, claimed);
    const settle = () =>
      outcome.succeeded
        ? successes.submit(deliveredOf(claimed, outcome))
        : settleFailure(app, claimed, outcome);
    try {
      await untilDatabaseIsBack(app, settle);
    } catch (error) {
      app.log.error({ err: error, message_id: claimed.id }, 'webhook attempt not stored');
      lost.push({ claim: claimed.claim, id: claimed.id });
    }
  };

  const handle = async (claimed: Claimed): Promise<void> => {
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      slow++;
      app.wakeups.notify('webhooks');
    }, SLOW_MS);
    try {
      await deliver(claimed);
    } finally {
      clearTimeout(timer);
      if (isSlow) slow--;
    }
  };

  return [
    {
      name: 'webhooks',
      topic: 'webhooks',
      everyMs: 500,
      async run(worker) {
        const hands = MAX_IN_FLIGHT + Math.min(slow, SLOW_MOST) - inFlight.size;
        if (hands <= 0) return false;
        for (let [one] = lost; one; [one] = lost) {
          await releaseClaim(app.db, { ...one, seconds: PAUSE_SECONDS });
          lost.shift();
        }
        await orphans.free(() => {
          const held = [...inFlight.values(), ...lost.map(({ claim }) => claim)];
          return releaseOrphanedClaims(app.db, worker.id, held);
        });
        const claim = app.random.uuid();
        const due = await claimDeliveries(app.db, {
          workerId: worker.id,
          claim,
          most: hands,
          perEndpoint: PER_ENDPOINT,
        }).catch((error: unknown) => {
          orphans.suspect();
          throw error;
        });
        for (const one of due) {
          const work = handle(one).finally(() => {
            inFlight.delete(work);
            // Its endpoint may now take the next delivery.
            app.wakeups.notify('webhooks');
          });
          inFlight.set(work, one.claim);
        }
        return due.length === hands;
      },
      async idle() {
        while (inFlight.size > 0) await Promise.all(inFlight.keys());
      },
      async free(dead) {
        await freeClaimsOf(app.db, dead);
      },
    },
  ];
}

/** Retries while the database is unavailable, so that the outcome of a delivery is not lost. */
async function untilDatabaseIsBack(app: DeliveryApp, settle: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await settle();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      await app.clock.sleep(500);
    }
  }
}
