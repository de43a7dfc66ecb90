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
