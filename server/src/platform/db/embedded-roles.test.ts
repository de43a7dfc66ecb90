import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runSql } from '../../../test/database-url.ts';
import { roomiestFolder } from '../../../test/roomiest-folder.ts';
import { backUpEmbedded } from '../../operations/commands/backup/backup.ts';
import { type Embedded, startEmbedded } from './embedded.ts';
import { clusterArgument, startPostmaster, stopPostmaster } from './embedded-postmaster.ts';
import { chooseUser, findPrograms, run } from './embedded-programs.ts';
import { migrate } from './migrate.ts';
import { readSchemaFiles } from './schema-files.ts';

const log = { info: () => {}, error: () => {} };
const timeout = 120_000;
let folder: string;
let dataDir: string;
const running: Embedded[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(roomiestFolder(), 'roles-'));
  dataDir = join(folder, 'data');
});
afterEach(async () => {
  for (const embedded of running.splice(0)) await embedded.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(from = dataDir): Promise<Embedded> {
  const embedded = await startEmbedded({ dataDir: from, log, settings: { fsync: 'off' } });
  running.push(embedded);
  return embedded;
}

const rights = `select rolname, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls
  from pg_roles where rolname = current_user`;
const ordinary = {
  rolname: 'sixdigit',
  rolsuper: false,
  rolcreatedb: false,
  rolcreaterole: false,
  rolreplication: false,
  rolbypassrls: false,
};

/** The first statements that an attacker with the service's connection would try. */
const FORBIDDEN = [
  `copy (select 1) to program 'true'`,
  `select pg_read_file('PG_VERSION')`,
  `alter system set log_statement = 'all'`,
  'create role another superuser',
  'alter role sixdigit superuser',
  'set session authorization postgres',
  'create database another',
];

test('the database role of the service owns its database and has no further rights', {
  timeout,
}, async () => {
  const { url } = await start();
  expect(await runSql(url, rights)).toEqual([ordinary]);
  expect((await migrate(url)).migrations).toEqual(readSchemaFiles().migrations.map(({ name }) => name));
  for (const statement of FORBIDDEN)
    await expect(runSql(url, statement), statement).rejects.toThrow(/permission denied|must be superuser/i);
  const other = new URL(url);
  other.username = 'postgres';
  await expect(runSql(other.href, 'select 1')).rejects.toThrow('password authentication failed');
});

/** A data folder as former versions made it: the role of the service is the superuser that initdb made. */
async function formerFolder(): Promise<void> {
  const cluster = join(dataDir, 'postgres');
  mkdirSync(cluster, { recursive: true, mode: 0o700 });
  const user = chooseUser(join(dataDir, 'none'));
  if (user) chownSync(cluster, user.uid, user.gid);
  const programs = await findPrograms(user);
  const argument = clusterArgument(cluster, user);
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const made = await run(
    programs.initdb,
    ['-D', argument, '-U', 'sixdigit', '--auth=trust', '--encoding=UTF8', ...locale],
    { user, cwd: cluster },
  );
  expect(made.code, made.output).toBe(0);
  writeFileSync(join(cluster, 'pg_hba.conf'), 'host all all 127.0.0.1/32 scram-sha-256\n');
  const input = `alter role sixdigit password 'of-former-times'\ncreate database sixdigit\n`;
  await run(programs.postgres, ['--single', '-D', argument, 'postgres'], { user, cwd: cluster, input });
  writeFileSync(join(dataDir, 'postgres-password'), 'of-former-times', { mode: 0o600 });
  const logFile = join(dataDir, 'postgres.log');
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '' };
  const postmaster = await startPostmaster({ postgres: programs.postgres, cluster, user, logFile, settings });
  try {
    const url = `postgres://sixdigit:of-former-times@127.0.0.1:${postmaster.port}/sixdigit`;
    await migrate(url);
    await runSql(
      url,
      `create schema extra; create type extra.mood as enum ('glad'); create domain extra.small as int;
       create table extra.things (id int generated always as identity, mood extra.mood, n serial);
       create view extra.seen as select id from extra.things; create statistics extra.both on id, n from extra.things;
       create function extra.one() returns int language sql as 'select 1';
       insert into extra.things (mood) values ('glad')`,
    );
  } finally {
    await stopPostmaster(postmaster);
  }
}

test('a start upgrades the roles of a previous version’s data folder and keeps its data', {
  timeout,
}, async () => {
  await formerFolder();
  for (const again of [false, true]) {
    const embedded = await start();
    const { url } = embedded;
    expect(await runSql(url, rights), String(again)).toEqual([ordinary]);
    expect(await runSql(url, 'select id, mood from extra.things')).toEqual([{ id: 1, mood: 'glad' }]);
    expect(await migrate(url)).toEqual({ migrations: [], functions: [] });
    const superusers = await runSql(url, `select rolname from pg_roles where rolsuper`);
    expect(superusers).toEqual([{ rolname: 'postgres' }]);
    await runSql(
      url,
      `alter table verifications add column if not exists note text; create or replace function clock_now() returns timestamptz
         language sql stable as 'select now()'; alter table extra.things add column if not exists more int;
       alter type extra.mood add value if not exists 'sad'; alter domain extra.small set default 1;
       drop statistics if exists extra.both`,
    );
    const foreign = await runSql(
      url,
      `select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relowner <> 'sixdigit'::regrole and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`,
    );
    expect(foreign).toEqual([]);
    await embedded.stop();
    running.pop();
  }
  expect(readFileSync(join(dataDir, 'postgres-password'), 'utf8')).toBe('of-former-times');
});

test('the next start completes an interrupted upgrade of the roles', { timeout }, async () => {
  await formerFolder();
  await (await start()).stop();
  running.pop();
  rmSync(join(dataDir, 'postgres', 'sixdigit-roles'));
  const { url } = await start();
  expect(await runSql(url, rights)).toEqual([ordinary]);
});

test('a backup needs no superuser, and a service started from it has the same roles', {
  timeout,
}, async () => {
  const { url } = await start();
  await runSql(url, `create table memory as select 'kept' as word`);
  const copy = await backUpEmbedded({ dataDir, log }, join(folder, 'copy'));
  const restored = await start(copy);
  expect(await runSql(restored.url, rights)).toEqual([ordinary]);
  expect(await runSql(restored.url, 'select word from memory')).toEqual([{ word: 'kept' }]);
});
