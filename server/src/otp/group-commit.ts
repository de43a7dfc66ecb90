import { type Connection, isDatabaseUnavailable } from '../platform/db/sql.ts';
import type { Needs } from '../platform/platform.ts';
import { type Batcher, batcher, queueLimits } from '../platform/queue/batcher.ts';
import { MissingServerKey } from '../platform/security/vault.ts';

const BATCH_SIZE = 256;

/** The part of a connection that a batch uses. */
export type BatchConnection = Pick<Connection, 'script'>;

/**
 * Runs many items in one transaction. Returns one result per item, in order. `retry`: an earlier attempt may have been
 * committed.
 */
type RunBatch<App, Item, Result> = (
  app: App,
  connection: BatchConnection,
  items: readonly Item[],
  retry: boolean,
) => Promise<Result[]>;

/** This process's batches, grouped by the function that runs them. */
export interface Batches {
  /** Adds an item to the next batch of its kind. Resolves after the commit. `app` is the same in every call. */
  join<App extends Needs<'db'>, Item, Result>(
    run: RunBatch<App, Item, Result>,
    app: App,
    item: Item,
  ): Promise<Result>;
  /** Resolves when no batch is waiting or in flight. */
  idle(): Promise<void>;
}

/**
 * Group commit. While one batch is in flight, new items are collected for the next. A batch is one transaction with two round
 * trips: the first locks and reads the rows, the second writes everything and commits. In between, the items are decided here
 * in order of arrival. No result is returned before its commit. Authentication already paces arrivals, so batches are large
 * under load without a second wait.
 */
export function createBatches(): Batches {
  const kinds = new Map<unknown, Batcher<never, unknown>>();
  return {
    join<App extends Needs<'db'>, Item, Result>(run: RunBatch<App, Item, Result>, app: App, item: Item) {
      let kind = kinds.get(run) as Batcher<Item, Result> | undefined;
      if (!kind) {
        kind = batcher({
          run: (items) => withRetry(app, (connection, retry) => run(app, connection, items, retry)),
          most: BATCH_SIZE,
          isOutage: (error) => isDatabaseUnavailable(error) || error instanceof MissingServerKey,
          queueLimits,
        });
        kinds.set(run, kind);
      }
      return kind.submit(item);
    },
    async idle() {
      for (const kind of kinds.values()) await kind.idle();
    },
  };
}

/**
 * Runs a batch. After a conflict, or a lost connection that leaves the commit uncertain, runs it once more with the same ids.
 */
async function withRetry<T>(
  app: Needs<'db'>,
  run: (connection: Connection, retry: boolean) => Promise<T>,
): Promise<T> {
  for (let retry = false; ; retry = true) {
    const connection = await app.db.connection();
    try {
      const result = await run(connection, retry);
      await connection[Symbol.asyncDispose]();
      return result;
    } catch (error) {
      const isUnavailable = isDatabaseUnavailable(error);
      if (isUnavailable) connection.destroy();
      else {
        await connection.script('ROLLBACK').catch(() => connection.destroy());
        await connection[Symbol.asyncDispose]();
      }
      if (retry || !(isUnavailable || isConflict(error))) throw error;
    }
  }
}

/** A deadlock, a serialization failure, or a row that a concurrent transaction inserted. */
const isConflict = (error: unknown): boolean => {
  const code = (error as { code?: unknown }).code;
  return code === '40P01' || code === '40001' || code === '23505';
};
