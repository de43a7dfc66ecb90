import pg from 'pg';
import { expect, test } from 'vitest';
import { shiftDatabaseClock } from '../../../test/clock.ts';
import { emptyDatabase, testDatabase } from '../../../test/database.ts';
import { runSql } from '../../../test/database-url.ts';
import { migrate, pendingFiles } from './migrate.ts';
import { readSchemaFiles, type SchemaFile, type SchemaFiles, schemaFile } from './schema-files.ts';
import { openDb } from './sql.ts';

const log = { warn: () => {} };

const first = schemaFile('0001_first.sql', 'create table words (word text primary key);');
const second = schemaFile(
  '0002_second.sql',
  `insert into words values ('hello'); insert into words values ('you');`,
);
const greeting = (text: string) =>
  schemaFile(
    'greeting.sql',
    `create or replace function greeting() returns text language sql as $$ select '${text}' $$;`,
  );

const files = (migrations: SchemaFile[], functions: SchemaFile[] = [], version = '1.0.0'): SchemaFiles => ({
  migrations,
  functions,
  version,
});

async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

const pidOf = async (client: pg.Client): Promise<number> =>
  (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid ?? 0;

async function ask(url: string, text: string): Promise<unknown[]> {
  const client = await connectTo(url);
  try {
    return (await client.query({ text, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

test('each migration runs once, in name order', async () => {
  await using db = await emptyDatabase();
  const ran = async (...migrations: SchemaFile[]) => (await migrate(db.url, files(migrations))).migrations;
  expect(await ran(first)).toEqual(['0001_first.sql']);
  expect(await ran(first, second)).toEqual(['0002_second.sql']);
  expect(await ran(first, second)).toEqual([]);
});

test('ten processes that migrate concurrently run each migration once', async () => {
  await using db = await emptyDatabase();
  const ran = await Promise.all(
    Array.from({ length: 10 }, () => migrate(db.url, files([first, second], [greeting('hello')]))),
  );
  expect(ran.flatMap(({ migrations }) => migrations).sort()).toEqual(['0001_first.sql', '0002_second.sql']);
  expect(ran.flatMap(({ functions }) => functions)).toEqual(['greeting.sql']);
});

test('a failing migration is rolled back and reported with its line', async () => {
  await using db = await emptyDatabase();
  const broken = schemaFile(
    '0002_broken.sql',
    `insert into words values ('half');\ninsert into wrods values ('x');`,
  );
  await expect(migrate(db.url, files([first, broken]))).rejects.toThrow(
    'The migration 0002_broken.sql:2 failed',
  );
  const unread = schemaFile('unread.sql', 'create or replace\nfunktion unread()');
  await expect(migrate(db.url, files([first], [unread]))).rejects.toThrow('The function unread.sql:2 failed');
  const sql = openDb({ url: db.url, log, max: 1 });
  expect(await sql.rows('select word from words')).toEqual([]);
  expect(await pendingFiles(sql, files([first, broken]))).toEqual(['0002_broken.sql']);
  await sql.close();
});

test('a migration that was edited after it ran is refused', async () => {
  await using db = await emptyDatabase();
  await migrate(db.url, files([first]));
  const edited = schemaFile('0001_first.sql', `${first.text} -- edited`);
  await expect(migrate(db.url, files([edited]))).rejects.toThrow('A migration never changes once it has run');
});

test('a database with migrations that this version never had is refused unchanged', async () => {
  await using db = await emptyDatabase();
  await migrate(db.url, files([schemaFile('0001_former.sql', 'create table former (n integer);')]));
  await expect(migrate(db.url, files([first, second], [greeting('hello')]))).rejects.toThrow(
    'This database has run the migration 0001_former.sql, which is not part of this version',
  );
  expect(await ask(db.url, `select to_regclass('words') is null and to_regproc('greeting') is null`)).toEqual(
    [true],
  );
});

test('a function is recreated when its text changes and dropped when its file is removed', async () => {
  await using db = await emptyDatabase();
  const ran = async (...functions: SchemaFile[]) =>
    (await migrate(db.url, files([first], functions))).functions;
  expect(await ran(greeting('hello'))).toEqual(['greeting.sql']);
  expect(await ran(greeting('hello'))).toEqual([]);
  expect(await ran(greeting('welcome'))).toEqual(['greeting.sql']);
  expect(await ask(db.url, 'select greeting()')).toEqual(['welcome']);
  expect(await ran()).toEqual([]);
  expect(await ask(db.url, `select to_regproc('greeting') is null`)).toEqual([true]);
});

test('functions may call each other in any name order', async () => {
  await using db = await emptyDatabase();
  const caller = schemaFile(
    'a_caller.sql',
    'create or replace function a_caller() returns text language sql as $$ select greeting() $$;',
  );
  await migrate(db.url, files([first], [caller, greeting('hello')]));
  expect(await ask(db.url, 'select a_caller()')).toEqual(['hello']);
});

test('migrating with an older release keeps the newer release’s functions', async () => {
  await using db = await emptyDatabase();
  await migrate(db.url, files([first], [greeting('old')], '1.9.0'));
  await migrate(db.url, files([first], [greeting('new')], '1.10.0'));
  expect((await migrate(db.url, files([first], [greeting('old')], '1.9.0'))).functions).toEqual([]);
  expect(await ask(db.url, 'select greeting()')).toEqual(['new']);
});

test('migrating without the newest migration changes no functions', async () => {
  await using db = await emptyDatabase();
  await migrate(db.url, files([first, second], [greeting('new')]));
  expect((await migrate(db.url, files([first], [greeting('old')]))).functions).toEqual([]);
  expect(await ask(db.url, 'select greeting()')).toEqual(['new']);
});

test('a database function with an existing name and different arguments is refused', async () => {
  await using db = await emptyDatabase();
  await migrate(db.url, files([first], [greeting('hello')]));
  const other = schemaFile(
    'greeting.sql',
    `create or replace function greeting(name text) returns text language sql as $$ select 'hello ' || name $$;`,
  );
  await expect(migrate(db.url, files([first], [other]))).rejects.toThrow(
    'a function with other arguments gets a name and a file of its own',
  );
  expect(await ask(db.url, 'select greeting()')).toEqual(['hello']);
});

test('an empty database lacks every migration, a migrated one lacks none', async () => {
  await using empty = await emptyDatabase();
  await using migrated = await testDatabase();
  const [before, after] = [
    openDb({ url: empty.url, log, max: 1 }),
    openDb({ url: migrated.url, log, max: 1 }),
  ];
  const { migrations, functions } = readSchemaFiles();
  expect(await pendingFiles(before)).toEqual([...migrations, ...functions].map(({ name }) => name));
  expect(await pendingFiles(after)).toEqual([]);
  await Promise.all([before.close(), after.close()]);
});

test('a migration does not wait indefinitely for a locked table', async () => {
  await using db = await emptyDatabase();
  await migrate(db.url, files([first]));
  const holder = await connectTo(db.url);
  await holder.query('begin; lock table words');
  const altering = schemaFile('0002_alter.sql', 'alter table words add n int;');
  await expect(migrate(db.url, files([first, altering]), { patienceMs: 50 })).rejects.toThrow(
    'Another transaction holds the table',
  );
  await holder.end();
  expect((await migrate(db.url, files([first, altering]))).migrations).toEqual(['0002_alter.sql']);
});

test('a migration gives way to a statement that locks the same tables in another order', async () => {
  await using db = await emptyDatabase();
  const tables = schemaFile('0001_tables.sql', 'create table a (); create table b ();');
  await migrate(db.url, files([tables]));
  const service = await connectTo(db.url);
  await service.query('begin; lock table b');
  // The statement waits for `a` before the migration waits for `b`, so PostgreSQL would end the statement.
  const altering = schemaFile(
    '0002_alter.sql',
    `lock table a;
     do $$ begin
       while exists (select from pg_locks where relation = 'b'::regclass)
         and not exists (select from pg_locks where relation = 'a'::regclass and not granted) loop end loop;
     end $$;
     alter table b add n int;`,
  );
  const migrating = migrate(db.url, files([tables, altering]));
  await expect
    .poll(() => ask(db.url, `select mode from pg_locks where relation = 'a'::regclass`))
    .toEqual(['AccessExclusiveLock']);
  await service.query('lock table a');
  await service.query('commit');
  expect((await migrating).migrations).toEqual(['0002_alter.sql']);
  await service.end();
});

test('a migration locks the tables of sends in their order', async () => {
  await using db = await emptyDatabase();
  const tables = schemaFile('0001_tables.sql', 'create table accounts (); create table api_keys ();');
  await migrate(db.url, files([tables]));
  const sending = await connectTo(db.url);
  await sending.query('begin; lock table api_keys');
  const altering = schemaFile(
    '0002_alter.sql',
    'alter table accounts add n int;\nalter table api_keys add n int;',
  );
  const migrating = migrate(db.url, files([tables, altering]));
  const locks = `select relation::regclass::text, granted from pg_locks where mode = 'AccessExclusiveLock'
    and relation in ('accounts'::regclass, 'api_keys'::regclass) and pid <> ${await pidOf(sending)}`;
  await expect.poll(() => ask(db.url, locks)).toEqual(['api_keys', false]);
  await sending.query('lock table accounts; commit');
  expect((await migrating).migrations).toEqual(['0002_alter.sql']);
  await sending.end();
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
