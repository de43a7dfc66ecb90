import { expect, test } from 'vitest';
import { testService } from '../../../test/service.ts';
import type { Db, Queryable, Sql, Tx } from './sql.ts';

const inTransaction = (tx: Tx) => tx.isTransaction;
const onPool = (sql: Sql) => sql.isTransaction;
const anywhere = (sql: Queryable) => sql.rows('select 1');
const opening = (db: Db) => db.transaction(async () => undefined);

test('the compiler refuses the pool where a transaction is required, and a transaction where the pool is', async () => {
  await using service = await testService();
  const { db } = service.app;
  // @ts-expect-error The statements would commit one by one.
  expect(inTransaction(db)).toBe(false);
  expect(onPool(db)).toBe(false);
  await anywhere(db);
  await db.transaction(async (tx) => {
    expect(inTransaction(tx)).toBe(true);
    // @ts-expect-error The statement would be undone with the transaction.
    expect(onPool(tx)).toBe(true);
    await anywhere(tx);
    // @ts-expect-error A transaction does not open another one.
    await expect(async () => opening(tx)).rejects.toThrow(TypeError);
  });
  await using connection = await db.connection();
  // @ts-expect-error A connection is in a transaction only after its own BEGIN.
  expect(inTransaction(connection)).toBeUndefined();
});
