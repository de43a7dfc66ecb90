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
}

export function batcher<I, O>({ run, most, concurrency = 1, isOutage }: BatcherOptions<I, O>): Batcher<I, O> {
  const collected: Waiting<I, O>[] = [];
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
      void settle(batch).finally(() => {
        inFlight--;
        start();
        if (inFlight === 0 && collected.length === 0) {
          const all = idlers;
          idlers = [];
          for (const resolve of all) resolve();
        }
      });
    }
  };

  return {
    submit: (item) =>
      new Promise<O>((resolve, reject) => {
        collected.push({ item, resolve, reject });
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
