import { createHash } from 'node:crypto';
import pg from 'pg';
import { expect, test } from 'vitest';
import { shiftDatabaseClock } from '../../../test/clock.ts';
import { emptyDatabase, testDatabase } from '../../../test/database.ts';
import { runSql } from '../../../test/database-url.ts';
import { migrate, pendingMigrations, readMigrations } from './migrate.ts';
import { openDb } from './sql.ts';

const log = { warn: () => {} };

function migration(name: string, text: string) {
  return { name, text, sha256: createHash('sha256').update(text).digest('hex') };
}

const first = migration('0001_first.sql', 'create table words (word text primary key);');
const second = migration(
  '0002_second.sql',
  `insert into words values ('hello'); insert into words values ('you');`,
);

test('each file runs once, in name order', async () => {
  await using db = await emptyDatabase();
  expect(await migrate(db.url, [first])).toEqual(['0001_first.sql']);
  expect(await migrate(db.url, [first, second])).toEqual(['0002_second.sql']);
  expect(await migrate(db.url, [first, second])).toEqual([]);
});

test('ten processes that start at once run each file once', async () => {
  await using db = await emptyDatabase();
  const ran = await Promise.all(Array.from({ length: 10 }, () => migrate(db.url, [first, second])));
  expect(ran.flat().sort()).toEqual(['0001_first.sql', '0002_second.sql']);
});

test('a failing file is rolled back and named with its line', async () => {
  await using db = await emptyDatabase();
  const broken = migration(
    '0002_broken.sql',
    `insert into words values ('half');\ninsert into wrods values ('x');`,
  );
  await expect(migrate(db.url, [first, broken])).rejects.toThrow('The migration 0002_broken.sql:2 failed');
  const sql = openDb({ url: db.url, log, max: 1 });
  expect(await sql.rows('select word from words')).toEqual([]);
  expect(await pendingMigrations(sql, [first, broken])).toEqual(['0002_broken.sql']);
  await sql.close();
});

test('a file that was edited after it ran is refused', async () => {
  await using db = await emptyDatabase();
  await migrate(db.url, [first]);
  const edited = migration('0001_first.sql', `${first.text} -- edited`);
  await expect(migrate(db.url, [edited])).rejects.toThrow('A migration never changes once it has run');
});

test('an empty database lacks every migration, a migrated one none', async () => {
  await using empty = await emptyDatabase();
  await using migrated = await testDatabase();
  const [before, after] = [
    openDb({ url: empty.url, log, max: 1 }),
    openDb({ url: migrated.url, log, max: 1 }),
  ];
  expect(await pendingMigrations(before)).toEqual(readMigrations().map(({ name }) => name));
  expect(await pendingMigrations(after)).toEqual([]);
  await Promise.all([before.close(), after.close()]);
});

test('no two shipped files share a number', () => {
  const numbers = readMigrations().map(({ name }) => name.slice(0, 4));
  expect(new Set(numbers).size).toBe(numbers.length);
});

test('a migration does not wait for ever for a locked table', { timeout: 30_000 }, async () => {
  await using db = await emptyDatabase();
  await migrate(db.url, [first]);
  const holder = new pg.Client({ connectionString: db.url });
  holder.on('error', () => {});
  await holder.connect();
  await holder.query('begin; lock table words');
  const impatient = migration(
    '0002_alter.sql',
    `set local lock_timeout = '50ms'; alter table words add n int;`,
  );
  await expect(migrate(db.url, [first, impatient])).rejects.toThrow('Another transaction holds the table');
  await holder.end();
  expect(await migrate(db.url, [first, impatient])).toEqual(['0002_alter.sql']);
});

test('the clock of a test database can be shifted', async () => {
  await using db = await testDatabase();
  await shiftDatabaseClock(db.url, 3_600_000);
  const sql = openDb({ url: db.url, log, max: 1 });
  const [row] = await sql.rows<{ shift: number }>(
    'select extract(epoch from clock_now() - now())::float8 as shift',
  );
  expect(row?.shift).toBe(3600);
  await shiftDatabaseClock(db.url, 0);
  const [back] = await sql.rows<{ same: boolean }>('select clock_now() = now() as same');
  expect(back?.same).toBe(true);
  await sql.close();
});

test('a test database is dropped when its test ends', async () => {
  let url: string;
  {
    await using db = await testDatabase();
    url = db.url;
  }
  await expect(runSql(url, 'select 1')).rejects.toThrow('does not exist');
});
