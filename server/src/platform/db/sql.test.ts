import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { testService } from '../../../test/service.ts';
import { type Db, isDatabaseUnavailable, openDb, type Queryable, type Sql, type Tx } from './sql.ts';

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

test('a statement without a response counts as a lost connection, which is closed', async () => {
  await using database = await testDatabase();
  const db = openDb({ url: database.url, log: { warn: () => undefined }, max: 1, patienceMs: 100 });
  const slow = 'select pg_sleep(10)';
  const errors = [await db.run(slow).catch((error) => error)];
  errors.push(await db.transaction((tx) => tx.run(slow)).catch((error) => error));
  for (const error of errors) {
    expect(error.message).toBe('The database has not responded for 100 ms');
    expect(isDatabaseUnavailable(error)).toBe(true);
  }
  expect(db.connections()).toEqual({ open: 0, idle: 0, waiting: 0 });
  expect(await db.one('select 1 as one')).toEqual({ one: 1 });
  await db.close();
});

test('an error of a statement names the caller', async () => {
  await using service = await testService();
  const error = await service.app.db.run('select nothing').catch((failure: Error) => failure);
  expect(error).toMatchObject({ code: '42703', stack: expect.stringContaining('sql.test.ts') });
});

test('memory keeps no statement until the next collection of the whole heap', async () => {
  await using service = await testService();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void;
  const ask = async (times: number) => {
    for (let n = 0; n < times; n++) {
      await service.app.db.one('select length($1::bytea) as n', [Buffer.alloc(PARAMETER_BYTES)]);
      collect({ type: 'minor' });
      collect({ type: 'minor' });
    }
  };
  // Counts buffers alone: what else the process and the machine do does not change it.
  const buffers = () => Math.round(process.memoryUsage().arrayBuffers / PARAMETER_BYTES);
  await ask(20);
  const before = buffers();
  await ask(40);
  expect(buffers() - before).toBeLessThan(10);
});
const PARAMETER_BYTES = 200_000;
