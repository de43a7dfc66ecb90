import { type Channel, channels } from '../carriers/carriers.ts';
import { isDatabaseUnavailable } from '../platform/db/sql.ts';
import type { Needs } from '../platform/platform.ts';
import { type Batcher, batcher } from '../platform/queue/batcher.ts';
import type { Job, Worker } from '../platform/queue/job.ts';
import { orphanedClaims } from '../platform/queue/orphaned-claims.ts';
import type { Change } from './change.ts';
import { type DispatchApp, dispatch, SETTLED } from './dispatch.ts';
import {
  type Claimed,
  claimDeliveries,
  finishDeliveries,
  freeClaim,
  freeClaimsOf,
  freeUnknownClaims,
  type Wanted,
} from './dispatch-queries.ts';

/**
 * Dispatches queued messages to carriers. A claim names the first carrier to ask. An uncertain outcome waits for a report
 * and is then retried once at the same carrier. A message that no carrier took is retried until shortly before its code
 * expires. Nothing is dispatched after its expiry.
 */
type App = DispatchApp & Needs<'wakeups'>;

interface Finished {
  id: string;
  claim: string;
  change: Change | undefined;
}

const isDeadlock = (error: unknown): boolean => (error as { code?: unknown }).code === '40P01';

/** Messages in flight per channel in one process, so that a slow channel does not delay the others. */
const MOST_IN_FLIGHT = 128;

export function deliveryJob(app: App): Job & { idle(): Promise<void> } {
  const finishing: Batcher<Finished, void> = batcher({
    run: async (items) => {
      await finishDeliveries(
        app.db,
        items,
        items.flatMap(({ change }) => (change ? [change] : [])),
      );
      if (items.some(({ change }) => change?.event)) app.wakeups.notify('webhooks');
      return items.map(() => undefined);
    },
    most: 256,
    isOutage: isDatabaseUnavailable,
  });
  /** The dispatches in flight, with their claims. */
  const inFlight = new Map<Promise<void>, string>();
  const held: Record<Channel, number> = { sms: 0, voice: 0, email: 0 };
  /** Interrupted messages and their claims: a carrier may have them. */
  const lost = new Map<string, string>();
  const orphans = orphanedClaims();

  /**
   * Stores the outcome of a dispatch, and retries while the database is unavailable. If this process must stop first, the
   * claim becomes an orphaned claim.
   */
  const finish = async (finished: Finished, signal: AbortSignal): Promise<void> => {
    for (;;) {
      try {
        return await finishing.submit(finished);
      } catch (error) {
        if (signal.aborted || !(isDatabaseUnavailable(error) || isDeadlock(error))) throw error;
        await app.clock.sleep(500, signal);
      }
    }
  };

  const handle = async (claimed: Claimed, signal: AbortSignal): Promise<void> => {
    try {
      const change = await dispatch(app, claimed);
      if (change !== SETTLED) await finish({ id: claimed.id, claim: claimed.claim, change }, signal);
    } catch (error) {
      app.log.error({ err: error, otp_id: claimed.id }, 'dispatch interrupted');
      lost.set(claimed.id, claimed.claim);
    }
  };

  const freeLost = async (): Promise<void> => {
    for (const [id, token] of [...lost]) {
      await freeClaim(app.db, { id, claim: token });
      lost.delete(id);
    }
  };

  const claim = async (worker: Worker, wanted: readonly Wanted[]): Promise<Claimed[]> => {
    const token = app.random.uuid();
    return claimDeliveries(app.db, { worker_id: worker.id, claim: token, wanted }).catch((error: unknown) => {
      orphans.suspect();
      throw error;
    });
  };

  return {
    name: 'deliveries',
    topic: 'deliveries',
    everyMs: 100,
    async run(worker) {
      if (lost.size > 0) await freeLost();
      await orphans.free(() =>
        freeUnknownClaims(app.db, worker.id, [...inFlight.values(), ...lost.values()]),
      );
      const wanted = channels.flatMap((channel) => room(app, channel, MOST_IN_FLIGHT - held[channel]) ?? []);
      if (wanted.length === 0) return false;
      const due = await claim(worker, wanted);
      for (const one of due) {
        held[one.channel]++;
        const work = handle(one, worker.signal).finally(() => {
          const wasFull = held[one.channel]-- >= MOST_IN_FLIGHT;
          inFlight.delete(work);
          if (wasFull) app.wakeups.notify('deliveries');
        });
        inFlight.set(work, one.claim);
      }
      return wanted.some(({ channel, most }) => due.filter((one) => one.channel === channel).length === most);
    },
    free: async (dead) => {
      await freeClaimsOf(app.db, dead);
    },
    async idle() {
      while (inFlight.size > 0) await Promise.all(inFlight.keys());
    },
  };
}

/**
 * How many messages of a channel this process can dispatch now. While the breakers block every carrier, messages stay in the
 * queue. When a carrier is due for a probe, the worker claims a single message for it.
 */
function room(app: App, channel: Channel, most: number): Wanted | undefined {
  const available = app.breakers.healthyOrder(app.carriers.forChannel(channel), channel, app.clock.now());
  if (most <= 0 || available.length === 0) return undefined;
  const isProbe = available.every((carrier) => app.breakers.isOpen(carrier, channel));
  return { channel, most: isProbe ? 1 : most, carriers: available.map(({ name }) => name) };
}
