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

/** Deliveries under way to one endpoint, over all processes. */
const PER_ENDPOINT = 4;
/** Deliveries under way in one process. */
const MAX_IN_FLIGHT = 64;
/**
 * What takes longer than SLOW_MS steps aside and leaves its place to others, up to SLOW_MOST of them: endpoints that hang
 * hold sockets, not the queue.
 */
const SLOW_MS = 1_000;
const SLOW_MOST = 512;
/** After an error of our own; the same message again at once would only repeat it. */
const PAUSE_SECONDS = 60;

/** Delivers what is due, in claims that are fair to every endpoint. At least once: nothing is removed before its answer. */
export function webhookJobs(app: DeliveryApp): Job[] {
  /** with their claims */
  const inFlight = new Map<Promise<void>, string>();
  const orphans = orphanedClaims();
  let slow = 0;
  /** What is claimed in our name and in nobody's hands, since its end could not be kept. */
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
      app.log.error({ err: error, message_id: claimed.id }, 'webhook attempt not kept');
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
            // Its endpoint may take the next one.
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

/** What an endpoint answered is not forgotten because the database is away: the end of the claim waits for it. */
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
