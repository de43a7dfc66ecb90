import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runSql } from '../../../test/database-url.ts';
import { roomiestFolder } from '../../../test/roomiest-folder.ts';
import { backUpEmbedded } from '../../operations/commands/backup/backup.ts';
import { type Embedded, startEmbedded } from './embedded.ts';
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

test('the next start completes an interrupted setup of the roles', { timeout }, async () => {
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
