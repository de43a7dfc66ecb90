import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { runSql } from '../../../test/database-url.ts';
import { testService } from '../../../test/service.ts';
import { createLog } from '../log.ts';
import { type Db, isDatabaseUnavailable, openDb, type Queryable, type Sql, type Tx } from './sql.ts';
import { synchronousStandbys } from './standbys.ts';

const inTransaction = (tx: Tx) => tx.isTransaction;
const onPool = (sql: Sql) => sql.isTransaction;
const anywhere = (sql: Queryable) => sql.rows('select 1');
const opening = (db: Db) => db.transaction(async () => undefined);

test('the compiler refuses the pool in place of a transaction, and a transaction in place of the pool', async () => {
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

test('a statement without a response closes its connection as lost', async () => {
  await using database = await testDatabase();
  const db = openDb({ url: database.url, log: { warn: () => undefined }, max: 1, patienceMs: 500 });
  const slow = 'select pg_sleep(10)';
  const errors = [await db.run(slow).catch((error) => error)];
  errors.push(await db.transaction((tx) => tx.run(slow)).catch((error) => error));
  for (const error of errors) {
    expect(error.message).toBe('The database has not responded for 500 ms');
    expect(isDatabaseUnavailable(error)).toBe(true);
  }
  expect(db.connections()).toEqual({ open: 0, idle: 0, waiting: 0 });
  expect(await db.one('select 1 as one')).toEqual({ one: 1 });
  await db.close();
});

test('the stack of a statement error names the caller', async () => {
  await using service = await testService();
  const error = await service.app.db.run('select nothing').catch((failure: Error) => failure);
  expect(error).toMatchObject({ code: '42703', stack: expect.stringContaining('sql.test.ts') });
});

test('a minor garbage collection frees the memory of finished statements', async () => {
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

test('UUIDs generated in SQL have version 7, begin with the time and are unique', async () => {
  await using database = await testDatabase();
  const db = openDb({ url: database.socketUrl, log: createLog('fatal'), max: 1 });
  const rows = await db.rows<{ id: string; ms: number }>(
    `select new_uuid() as id, (extract(epoch from clock_now()) * 1000)::bigint as ms from generate_series(1, 1000)`,
  );
  for (const { id, ms } of rows) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toBe(Number(ms));
  }
  expect(new Set(rows.map(({ id }) => id.slice(14))).size).toBe(1000);
  await db.close();
});

test('a database that refuses logins counts as unavailable until it accepts them', async () => {
  await using database = await testDatabase();
  const role = `mover_${randomBytes(4).toString('hex')}`;
  await runSql(database.url, `create role ${role} login password 'secret'`);
  const url = Object.assign(new URL(database.url), { username: role, password: 'secret' }).href;
  const db = openDb({ url, log: { warn: () => {} }, max: 1 });
  try {
    expect(await db.rows('select 1 as one')).toEqual([{ one: 1 }]);
    await runSql(
      database.url,
      `alter role ${role} nologin; select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`,
    );
    await expect
      .poll(() =>
        db.rows('select 1').then(
          () => '',
          (error: { code?: string }) => error.code,
        ),
      )
      .toBe('28000');
    const error = await db.rows('select 1').catch((failure: unknown) => failure);
    expect(isDatabaseUnavailable(error)).toBe(true);
    await runSql(database.url, `alter role ${role} login`);
    expect(await db.rows('select 1 as one')).toEqual([{ one: 1 }]);
  } finally {
    await db.close();
    await runSql(database.url, `drop role ${role}`);
  }
});

test('a database that refuses connections counts as unavailable until it accepts them', async () => {
  await using database = await testDatabase();
  const { name, url } = database;
  const admin = Object.assign(new URL(url), { pathname: '/postgres' }).href;
  const db = openDb({ url, log: { warn: () => {} }, max: 1 });
  try {
    await runSql(admin, `alter database ${name} allow_connections false`);
    const error = await db.rows('select 1').catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code: '55000', severity: 'FATAL' });
    expect(isDatabaseUnavailable(error)).toBe(true);
    await runSql(admin, `alter database ${name} allow_connections true`);
    expect(await db.rows('select 1 as one')).toEqual([{ one: 1 }]);
  } finally {
    await db.close();
  }
});

test.each([
  ['', 'on', 0],
  ['  ', 'on', 0],
  ['node1', 'on', 1],
  ['node1, node2', 'remote_apply', 1],
  ['*', 'on', 1],
  ['2 (node1, node2)', 'on', 2],
  ['FIRST 2 (node1, node2, node3)', 'on', 2],
  ['any 3 (node1, node2, node3)', 'remote_write', 3],
  ['first, any', 'on', 1],
  ['"2 (a)", b', 'on', 1],
  ['ANY 1 (node1, node2)', 'local', 0],
  ['ANY 1 (node1, node2)', 'off', 0],
])(
  'with synchronous_standby_names = %j and synchronous_commit = %s, %i standbys confirm a commit',
  async (names, commit, expected) => {
    await using database = await testDatabase();
    const sql = openDb({ url: database.url, log: { warn: () => undefined }, max: 1 });
    try {
      // The setting belongs to the server's configuration, so the statement reads another function of this name.
      await sql.run(`create schema elsewhere`);
      await sql.run(
        `create function elsewhere.current_setting(name text) returns text language sql as $$
         select case name when 'synchronous_standby_names' then ${quoted(names)} when 'synchronous_commit' then ${quoted(commit)} end $$`,
      );
      await sql.run('set search_path = elsewhere, pg_catalog, public');
      expect(await synchronousStandbys(sql)).toBe(expected);
    } finally {
      await sql.close();
    }
  },
);

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
