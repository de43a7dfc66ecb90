/**
 * Collects while the last batch is in flight, runs, hands out the answers. A single caller never waits for company: an
 * idle batcher runs at once. A batch that fails is split until the item that cannot be done is alone.
 */
export interface Batcher<I, O> {
  submit(item: I): Promise<O>;
  /** Resolves when nothing is collected or in flight. */
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
  /** Answers each item, in order. Throwing fails the whole batch. */
  run(items: I[]): Promise<O[]>;
  /** items in one batch at most */
  most: number;
  /** batches in flight at most */
  concurrency?: number;
  /** An error that says nothing about the items, such as a database that is away: the batch is not split. */
  isOutage(error: unknown): boolean;
  /** How long a caller waits, and how many do; left out: as long as it takes. */
  queueLimits?: QueueLimits;
}

export interface QueueLimits {
  ms: number;
  /** items waiting for a batch at most; one more is refused at once */
  most: number;
  /** What a caller hears instead of an answer. What is in a batch by then may still be done, the rest is not. */
  refusal(): Error;
}

const LOOK_MS = 250;

export function batcher<I, O>(options: BatcherOptions<I, O>): Batcher<I, O> {
  const { run, most, concurrency = 1, isOutage, queueLimits } = options;
  const collected: Waiting<I, O>[] = [];
  const started = new Set<Waiting<I, O>[]>();
  let looking: NodeJS.Timeout | undefined;
  let inFlight = 0;
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

  const start = (): void => {
    while (inFlight < concurrency && collected.length > 0) {
      const batch = collected.splice(0, most);
      inFlight++;
      started.add(batch);
      void settle(batch).finally(() => {
        inFlight--;
        started.delete(batch);
        start();
        if (inFlight === 0 && collected.length === 0) {
          const all = idlers;
          idlers = [];
          for (const resolve of all) resolve();
        }
      });
    }
  };

  /** Lets those go who have waited long enough: the oldest come first everywhere. */
  const look = ({ ms, refusal }: QueueLimits): void => {
    const longAgo = performance.now() - ms;
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
        collected.push({ item, sinceMs: performance.now(), resolve, reject });
        // Requests that were read in the same turn of the event loop share the first batch.
        if (collected.length === 1 && inFlight < concurrency) setImmediate(start);
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
