import type { Db, Tx } from '../src/platform/db/sql.ts';

const UNDONE = new Error('undone');

/** The result of work in a transaction that is rolled back. */
export async function rolledBack<T>(db: Pick<Db, 'transaction'>, work: (tx: Tx) => Promise<T>): Promise<T> {
  let result: { value: T } | undefined;
  await db
    .transaction(async (tx) => {
      result = { value: await work(tx) };
      throw UNDONE;
    })
    .catch((error: unknown) => {
      if (error !== UNDONE) throw error;
    });
  if (!result) throw new Error('The work did not end.');
  return result.value;
}
