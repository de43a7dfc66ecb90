/**
 * Collects items while a batch is in flight and returns each item's result. An idle batcher runs immediately, so a single
 * caller never waits. Under load, batches may be paced so that they grow. A failed batch is split until the failing item is
 * isolated.
 */

import { monotonicMs } from '../clock.ts';
import { isDatabaseUnavailable } from '../db/sql.ts';
import { Failure } from '../http/failure.ts';

export interface Batcher<I, O> {
  submit(item: I): Promise<O>;
  /** Resolves when nothing is waiting or in flight. */
  idle(): Promise<void>;
  /** items waiting for a batch */
  readonly waiting: number;
}

interface Waiting<I, O> {
  item: I;
  sinceMs: number;
  resolve(answer: O): void;
  reject(error: unknown): void;
}

export interface BatcherOptions<I, O> {
  /** Returns one result per item, in order. Throwing fails the whole batch. */
  run(items: I[]): Promise<O[]>;
  /** maximum items per batch */
  most: number;
  /** maximum batches in flight */
  concurrency?: number;
  pace?: Pace;
  /** Whether an error does not depend on the items, such as an unavailable database. The batch is then not split. */
  isOutage(error: unknown): boolean;
  /** Limits the waiting time and the number of callers. Without it, callers wait without limit. */
  queueLimits?: QueueLimits;
}

/**
 * The minimum time between the starts of batches under load, because small batches consist mainly of fixed cost. A batch starts
 * immediately if the previous one had a single item, or if it has `enough` items.
 */
export interface Pace {
  ms: number;
  enough: number;
}

export interface QueueLimits {
  ms: number;
  /** maximum waiting items; further items are refused immediately */
  most: number;
  /**
   * Creates the error for a refused item. A refused item that is already in a batch may still be processed; any other is not.
   */
  refusal(): Error;
}

const LOOK_MS = 250;

export function batcher<I, O>(options: BatcherOptions<I, O>): Batcher<I, O> {
  const { run, most, concurrency = 1, pace, isOutage, queueLimits } = options;
  const collected: Waiting<I, O>[] = [];
  const started = new Set<Waiting<I, O>[]>();
  let looking: NodeJS.Timeout | undefined;
  let inFlight = 0;
  let lastStart = { atMs: 0, size: 0 };
  let pacing: NodeJS.Timeout | undefined;
  let idlers: (() => void)[] = [];

  const settle = async (batch: Waiting<I, O>[]): Promise<void> => {
    try {
      const answers = await run(batch.map(({ item }) => item));
      batch.forEach((waiting, n) => {
        waiting.resolve(answers[n] as O);
      });
    } catch (error) {
      if (batch.length === 1 || isOutage(error)) {
        for (const waiting of batch) waiting.reject(error);
        return;
      }
      const half = batch.length >> 1;
      await settle(batch.slice(0, half));
      await settle(batch.slice(half));
    }
  };

  const waitMs = (): number =>
    pace === undefined || lastStart.size <= 1 || collected.length >= pace.enough
      ? 0
      : lastStart.atMs + pace.ms - monotonicMs();

  const start = (): void => {
    clearTimeout(pacing);
    pacing = undefined;
    while (inFlight < concurrency && collected.length > 0) {
      const ms = waitMs();
      if (ms > 0) {
        pacing = setTimeout(start, ms);
        return;
      }
      const batch = collected.splice(0, most);
      lastStart = { atMs: monotonicMs(), size: batch.length };
      inFlight++;
      started.add(batch);
      void settle(batch).finally(() => {
        inFlight--;
        started.delete(batch);
        start();
      });
    }
    if (inFlight > 0 || collected.length > 0) return;
    const all = idlers;
    idlers = [];
    for (const resolve of all) resolve();
  };

  /** Refuses items that have waited too long. All queues are ordered by age. */
  const look = ({ ms, refusal }: QueueLimits): void => {
    const longAgo = monotonicMs() - ms;
    const isOverdue = ({ sinceMs }: Waiting<I, O>) => sinceMs <= longAgo;
    for (const batch of started)
      for (const waiting of batch) if (isOverdue(waiting)) waiting.reject(refusal());
    const patient = collected.findIndex((waiting) => !isOverdue(waiting));
    for (const waiting of collected.splice(0, patient < 0 ? collected.length : patient))
      waiting.reject(refusal());
    if (inFlight > 0 || collected.length > 0) return;
    clearInterval(looking);
    looking = undefined;
  };

  return {
    submit: (item) =>
      new Promise<O>((resolve, reject) => {
        if (queueLimits && collected.length >= queueLimits.most) return reject(queueLimits.refusal());
        if (queueLimits) looking ??= setInterval(look, LOOK_MS, queueLimits).unref();
        collected.push({ item, sinceMs: monotonicMs(), resolve, reject });
        // Requests read in the same turn of the event loop share the first batch.
        const isPaced = pacing !== undefined && collected.length === pace?.enough;
        if (isPaced || (collected.length === 1 && inFlight < concurrency)) setImmediate(start);
      }),
    idle: () =>
      inFlight === 0 && collected.length === 0
        ? Promise.resolve()
        : new Promise((resolve) => idlers.push(resolve)),
    get waiting() {
      return collected.length;
    },
  };
}

/**
 * An unavailable database, for example with both standbys down, can stall requests indefinitely. These limits refuse requests in
 * time and bound memory to a few seconds of work at full speed.
 */
export const queueLimits: QueueLimits = {
  ms: 10_000,
  most: 10_000,
  refusal: () => new Failure('unavailable', { retry_after: 2 }),
};

/** Collects look-ups in the database, whose callers wait for a limited time. */
export const lookupBatcher = <I, O>(
  run: (items: I[]) => Promise<O[]>,
  options: { most?: number; pace?: Pace } = {},
): Batcher<I, O> =>
  batcher({ run, most: 512, concurrency: 2, isOutage: isDatabaseUnavailable, queueLimits, ...options });
