import { isDatabaseUnavailable } from '../db/sql.ts';
import type { Needs } from '../platform.ts';
import type { Job, Worker } from './job.ts';
import { orphanedClaims } from './orphaned-claims.ts';

/** A claimed row. The token of the claim fences every later change of the row. */
export interface Lease {
  id: string;
  claim: string;
}

export interface LeasedQueueOptions<Item extends Lease, Outcome, Lane extends string> {
  /** The name of the job and the topic of its wake-ups. */
  name: string;
  /** The polling interval, in ms. */
  everyMs: number;
  /** The log's name for the id of an item. */
  idField: string;
  /** How many items of each lane this process may have in flight. A full lane does not delay the others. */
  slots: Record<Lane, number | (() => number)>;
  /** Required if there is more than one lane. */
  laneOf?(item: Item): Lane;
  /** Claims due items, at most as many of each lane as slots are free. */
  claim(request: ClaimRequest<Lane>): Promise<Item[]>;
  /** Works on an item outside any transaction, and returns the outcome. */
  process(item: Item): Promise<Outcome>;
  /** Stores the outcome and ends the claim, if it is still valid. Repeated while the database is unavailable. */
  finish(item: Item, outcome: Outcome): Promise<unknown>;
  /** Releases the claim of an item whose processing failed or whose outcome could not be stored. */
  release(item: Item): Promise<unknown>;
  /** Releases the claims of this live worker except those it holds. */
  releaseOrphans(worker_id: string, held: readonly string[]): Promise<unknown>;
  /** Releases all claims of dead workers. */
  releaseDead(worker_ids: readonly string[]): Promise<unknown>;
  /** Whether each finished item may make another one due. Otherwise only the end of a full lane wakes the queue. */
  wakesAfterEach?: boolean;
}

export interface ClaimRequest<Lane extends string> {
  worker_id: string;
  claim: string;
  free: Readonly<Record<Lane, number>>;
}

const RETRY_MS = 500;

const isDeadlock = (error: unknown): boolean => (error as { code?: unknown }).code === '40P01';

/**
 * A job that works through the due rows of a table. Workers of any number of processes claim rows and process them at the same
 * time, within the slots of their process. A claim lasts as long as its worker lives. A claim may be lost at any moment, so
 * every statement that ends one compares its token.
 */
export function leasedQueue<Item extends Lease, Outcome, Lane extends string = 'all'>(
  app: Needs<'clock' | 'log' | 'random' | 'wakeups'>,
  options: LeasedQueueOptions<Item, Outcome, Lane>,
): Job & Required<Pick<Job, 'idle' | 'free'>> {
  const { name, slots } = options;
  const lanes = Object.keys(slots) as Lane[];
  const laneOf = (item: Item): Lane => options.laneOf?.(item) ?? (lanes[0] as Lane);
  const inFlight = new Map<Promise<void>, Item>();
  const counts = new Map<Lane, number>(lanes.map((lane) => [lane, 0]));
  /** Items whose processing failed. Their claims must be released, but not as orphans. */
  const failed = new Set<Item>();
  const orphans = orphanedClaims();

  const free = (lane: Lane): number => {
    const most = slots[lane];
    return (typeof most === 'number' ? most : most()) - (counts.get(lane) ?? 0);
  };

  /** Stores the outcome, and retries while the database is unavailable, because a lost outcome repeats the work. */
  const finish = async (item: Item, outcome: Outcome): Promise<void> => {
    for (;;) {
      try {
        await options.finish(item, outcome);
        return;
      } catch (error) {
        if (!isDatabaseUnavailable(error) && !isDeadlock(error)) throw error;
        await app.clock.sleep(RETRY_MS);
      }
    }
  };

  const work = async (item: Item): Promise<void> => {
    try {
      await finish(item, await options.process(item));
    } catch (error) {
      app.log.error(
        { err: error, [options.idField]: item.id },
        `${name}: interrupted, its claim is released`,
      );
      failed.add(item);
    }
  };

  const start = (item: Item): void => {
    const lane = laneOf(item);
    counts.set(lane, (counts.get(lane) ?? 0) + 1);
    const working = work(item).finally(() => {
      const wasFull = free(lane) <= 0;
      counts.set(lane, (counts.get(lane) ?? 0) - 1);
      inFlight.delete(working);
      if (wasFull || options.wakesAfterEach) app.wakeups.notify(name);
    });
    inFlight.set(working, item);
  };

  const releaseFailed = async (): Promise<void> => {
    for (const item of [...failed]) {
      await options.release(item);
      failed.delete(item);
    }
  };

  const held = (): string[] => [...new Set([...inFlight.values(), ...failed].map(({ claim }) => claim))];

  const claim = async (worker: Worker, places: Record<Lane, number>): Promise<Item[]> => {
    const request = { worker_id: worker.id, claim: app.random.uuid(), free: places };
    return options.claim(request).catch((error: unknown) => {
      orphans.suspect();
      throw error;
    });
  };

  return {
    name,
    topic: name,
    everyMs: options.everyMs,
    async run(worker) {
      await releaseFailed();
      await orphans.free(() => options.releaseOrphans(worker.id, held()));
      const places = Object.fromEntries(lanes.map((lane) => [lane, Math.max(free(lane), 0)])) as Record<
        Lane,
        number
      >;
      if (lanes.every((lane) => places[lane] === 0)) return false;
      const due = await claim(worker, places);
      for (const item of due) start(item);
      return lanes.some(
        (lane) => places[lane] > 0 && due.filter((item) => laneOf(item) === lane).length >= places[lane],
      );
    },
    async idle() {
      while (inFlight.size > 0) await Promise.all(inFlight.keys());
    },
    async free(dead) {
      await options.releaseDead(dead);
    },
  };
}
