import { isDatabaseUnavailable } from '../db/sql.ts';
import type { Needs } from '../platform.ts';
import type { Job, Worker } from './job.ts';
import { orphanedClaims } from './orphaned-claims.ts';

/** A claimed row. The claim's token fences every later change to the row. */
export interface Lease {
  id: string;
  claim: string;
}

export interface LeasedQueueOptions<Item extends Lease, Outcome, Lane extends string> {
  /** The name of the job and the topic of its wake-ups. */
  name: string;
  /** The polling interval, in ms. */
  everyMs: number;
  /** The name of the log field for an item's id. */
  idField: string;
  /** How many items of each lane this process may have in flight. A full lane does not delay the others. */
  slots: Record<Lane, number>;
  /**
   * An item that takes longer than `afterMs` makes room for another item of its lane. At most `most` items do so at the same
   * time.
   */
  yields?: { afterMs: number; most: number };
  /** How many items of each lane may leave their slots before their outcomes are stored. By default, none. */
  mostUnstored?: number;
  /** Required if there is more than one lane. */
  laneOf?(item: Item): Lane;
  /** Claims due items: for each lane, at most as many as it has free slots. */
  claim(request: ClaimRequest<Lane>): Promise<Item[]>;
  /** Works on an item outside any transaction, and returns the outcome. */
  process(item: Item): Promise<Outcome>;
  /** Stores the outcome and ends the claim, if it is still valid. Repeated while the database is unavailable. */
  finish(item: Item, outcome: Outcome): Promise<unknown>;
  /** Releases the claim of an item whose processing failed or whose outcome could not be stored. */
  release(item: Item): Promise<unknown>;
  /** Releases the claims of this live worker except those that it holds. */
  releaseOrphans(worker_id: string, held: readonly string[]): Promise<unknown>;
  /** Releases all claims of those workers that are still dead. */
  releaseDead(worker_ids: readonly string[]): Promise<unknown>;
  /**
   * Whether each finished item may make another one due and so wakes the queue. Otherwise the queue wakes only when a full lane
   * gets a free slot.
   */
  wakesAfterEach?: boolean;
}

export interface ClaimRequest<Lane extends string> {
  worker_id: string;
  claim: string;
  free: Readonly<Record<Lane, number>>;
}

/** Slots for rows that this process is about to insert as already claimed. */
export interface Reservation<Item> {
  worker_id: string;
  /** the token of their claims */
  claim: string;
  places: number;
  /** Call it once the rows are committed. */
  start(items: readonly Item[]): void;
  /** Call it if the rows do not appear to have been committed. If they were, their claims are released as orphans. */
  cancel(): void;
}

export interface LeasedQueue<Item, Lane extends string> extends Job {
  /** Resolves when no claim is under way and no item is in flight. */
  idle(): Promise<void>;
  free(dead: readonly string[]): Promise<void>;
  open(worker: Worker): void;
  /** Reserves at most half of a lane's slots, and none while older rows wait or the worker may not claim. */
  reserve(lane: Lane, most: number): Reservation<Item> | undefined;
}

const RETRY_MS = 500;

const isDeadlock = (error: unknown): boolean => (error as { code?: unknown }).code === '40P01';

/**
 * A job that works through the due rows of a table. Any number of processes claim rows and process them at the same time, each
 * within its slots. A claim lasts as long as its worker lives. It may be lost at any moment, so every statement that ends a
 * claim compares its token.
 */
export function leasedQueue<Item extends Lease, Outcome, Lane extends string = 'all'>(
  app: Needs<'clock' | 'log' | 'random' | 'wakeups'>,
  options: LeasedQueueOptions<Item, Outcome, Lane>,
): LeasedQueue<Item, Lane> {
  const { name, slots } = options;
  const lanes = Object.keys(slots) as Lane[];
  const laneOf = (item: Item): Lane => options.laneOf?.(item) ?? (lanes[0] as Lane);
  const inFlight = new Map<Promise<void>, Item>();
  const counts = new Map<Lane, number>(lanes.map((lane) => [lane, 0]));
  /** The number of items that have left their slots and whose outcomes are not stored yet. */
  const unstored = new Map<Lane, number>(lanes.map((lane) => [lane, 0]));
  /** The number of items that have taken longer than `yields.afterMs`. */
  const late = new Map<Lane, number>(lanes.map((lane) => [lane, 0]));
  /** Items whose processing failed. Their claims must be released, but not as orphans. */
  const failed = new Set<Item>();
  const orphans = orphanedClaims();
  let opened: Worker | undefined;
  /** Reservations by token, until their items start. */
  const reserved = new Map<string, Promise<void>>();
  /** Claims under way by token, until their items have started. */
  const claiming = new Map<string, Promise<Item[]>>();
  /** Lanes in which the last claim left no due rows. */
  const empty = new Set<Lane>();

  /** Whether a search for orphans is in progress. No claim or reservation begins meanwhile, because it would count as an orphan. */
  let isSearching = false;

  const yielded = (lane: Lane): number => Math.min(late.get(lane) ?? 0, options.yields?.most ?? 0);
  const free = (lane: Lane): number => slots[lane] + yielded(lane) - (counts.get(lane) ?? 0);

  const add = (to: Map<Lane, number>, lane: Lane, items: number): void => {
    to.set(lane, (to.get(lane) ?? 0) + items);
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

  const process = async (item: Item, lane: Lane): Promise<Outcome> => {
    if (!options.yields) return options.process(item);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      add(late, lane, 1);
      app.wakeups.notify(name);
    }, options.yields.afterMs);
    try {
      return await options.process(item);
    } finally {
      clearTimeout(timer);
      if (isLate) add(late, lane, -1);
    }
  };

  const work = async (item: Item, leaveSlot: () => void): Promise<void> => {
    const lane = laneOf(item);
    let mayLeave = false;
    try {
      const outcome = await process(item, lane);
      mayLeave = (unstored.get(lane) ?? 0) < (options.mostUnstored ?? 0);
      if (mayLeave) {
        add(unstored, lane, 1);
        leaveSlot();
      }
      await finish(item, outcome);
    } catch (error) {
      app.log.error(
        { err: error, [options.idField]: item.id },
        `${name}: interrupted; its claim is released`,
      );
      failed.add(item);
    } finally {
      if (mayLeave) add(unstored, lane, -1);
    }
  };

  const start = (item: Item): void => {
    const lane = laneOf(item);
    let hasSlot = true;
    const leaveSlot = (): void => {
      if (!hasSlot) return;
      hasSlot = false;
      const wasFull = free(lane) <= 0;
      add(counts, lane, -1);
      if (wasFull) app.wakeups.notify(name);
    };
    add(counts, lane, 1);
    const working = work(item, leaveSlot).finally(() => {
      leaveSlot();
      inFlight.delete(working);
      if (options.wakesAfterEach) app.wakeups.notify(name);
    });
    inFlight.set(working, item);
  };

  const releaseFailed = async (): Promise<void> => {
    for (const item of [...failed]) {
      await options.release(item);
      failed.delete(item);
    }
  };

  const held = (): string[] => [
    ...new Set([
      ...[...inFlight.values(), ...failed].map(({ claim }) => claim),
      ...reserved.keys(),
      ...claiming.keys(),
    ]),
  ];

  const releaseOrphans = async (worker: Worker): Promise<void> => {
    isSearching = true;
    try {
      await options.releaseOrphans(worker.id, held());
    } finally {
      isSearching = false;
    }
  };

  const claimAndStart = async (request: ClaimRequest<Lane>): Promise<Item[]> => {
    const due = await options.claim(request).catch((error: unknown) => {
      orphans.suspect();
      throw error;
    });
    for (const item of due) start(item);
    return due;
  };

  return {
    name,
    topic: name,
    everyMs: options.everyMs,
    open(worker) {
      opened = worker;
    },
    reserve(lane, most) {
      if (!opened?.mayClaim() || opened.signal.aborted || isSearching || !empty.has(lane)) return undefined;
      // Leaves half of the slots to retries and to rows that other processes insert.
      const places = Math.min(most, free(lane) - Math.ceil(slots[lane] / 2));
      if (places <= 0) return undefined;
      const claim = app.random.uuid();
      const ending = Promise.withResolvers<void>();
      reserved.set(claim, ending.promise);
      add(counts, lane, places);
      const end = () => {
        reserved.delete(claim);
        add(counts, lane, -places);
        ending.resolve();
      };
      return {
        worker_id: opened.id,
        claim,
        places,
        start(items) {
          for (const item of items) start(item);
          end();
        },
        cancel() {
          end();
          orphans.suspect();
        },
      };
    },
    async run(worker) {
      await releaseFailed();
      await orphans.free(() => releaseOrphans(worker));
      if (!worker.mayClaim()) return false;
      if (isSearching) return false;
      const places = Object.fromEntries(lanes.map((lane) => [lane, Math.max(free(lane), 0)])) as Record<
        Lane,
        number
      >;
      for (const lane of lanes) if (places[lane] === 0) empty.delete(lane);
      if (lanes.every((lane) => places[lane] === 0)) return false;
      const claim = app.random.uuid();
      const claimed = claimAndStart({ worker_id: worker.id, claim, free: places });
      claiming.set(claim, claimed);
      const due = await claimed.finally(() => claiming.delete(claim));
      const full = lanes.filter(
        (lane) => places[lane] > 0 && due.filter((item) => laneOf(item) === lane).length >= places[lane],
      );
      for (const lane of lanes) if (places[lane] > 0) empty.add(lane);
      for (const lane of full) empty.delete(lane);
      return full.length > 0;
    },
    async idle() {
      while (claiming.size + inFlight.size + reserved.size > 0)
        await Promise.allSettled([...claiming.values(), ...inFlight.keys(), ...reserved.values()]);
    },
    async free(dead) {
      await options.releaseDead(dead);
    },
  };
}
