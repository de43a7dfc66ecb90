import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { runSql } from '../../../test/database-url.ts';
import { isDatabaseUnavailable, openDb } from './sql.ts';

test('a database that refuses logins counts as unavailable until it accepts them again', async () => {
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

test('a database that accepts no connections counts as unavailable until it does again', async () => {
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
