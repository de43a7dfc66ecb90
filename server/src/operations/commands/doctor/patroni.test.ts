import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { roomiestFolder } from '../../../../test/roomiest-folder.ts';
import { startEmbedded } from '../../../platform/db/embedded.ts';
import { type Db, openDb } from '../../../platform/db/sql.ts';
import { createLog } from '../../../platform/log.ts';
import { checkPatroni, type PatroniFacts, patroniFindings } from './patroni.ts';

const log = createLog('fatal');
/** Patroni passes these on the command line, as the embedded server gets its settings. */
const settings = {
  cluster_name: 'sixdigit',
  hot_standby: 'on',
  track_commit_timestamp: 'off',
  wal_log_hints: 'on',
};
let folder: string;
let db: Db;
let stop: () => Promise<void>;
beforeAll(async () => {
  folder = mkdtempSync(join(roomiestFolder(), 'patroni-'));
  const server = await startEmbedded({ dataDir: join(folder, 'data'), log, settings });
  stop = server.stop;
  db = openDb({ url: server.url, log, max: 1 });
}, 60_000);
afterAll(async () => {
  await db.close();
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Patroni's REST API. */
async function api(config: object, version: string) {
  const server = createServer((request, response) => {
    const answers: Record<string, object> = { '/config': config, '/patroni': { patroni: { version } } };
    response.end(JSON.stringify(answers[request.url ?? ''] ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const lines = (findings: Awaited<ReturnType<typeof checkPatroni>>) =>
  findings.map(({ level, says }) => `${level}: ${says}`);

test('the doctor recognizes Patroni and reads its settings, its version and the driver of etcd', async () => {
  await using patroni = await api({ synchronous_mode: true }, '3.0.2');
  const configFile = join(folder, 'config.yml');
  writeFileSync(configFile, 'scope: sixdigit\netcd3:\n  hosts: 10.0.0.1:2379\n');
  expect(lines(await checkPatroni(db, { port: patroni.port, configFile }))).toEqual([
    'problem: synchronous_mode_strict is off: a commit may be acknowledged while only one disk has it, and a failover can lose it.',
    'problem: No standby streams: in strict mode, every send waits and is refused.',
    'problem: Patroni 3.0.2 uses etcd3: before 3.0.3, a healed network partition can lose acknowledged sends.',
  ]);
});

test('the doctor reports that the REST API of Patroni does not respond', async () => {
  const found = lines(await checkPatroni(db, { port: 9, configFile: join(folder, 'absent.yml') }));
  expect(found[0]).toMatch(/^warning: The REST API of Patroni did not respond/);
});

test('the doctor reports nothing about Patroni on a server that Patroni does not run', async () => {
  const server = await startEmbedded({
    dataDir: join(folder, 'plain'),
    log,
    settings: { hot_standby: 'on' },
  });
  const plain = openDb({ url: server.url, log, max: 1 });
  try {
    expect(await checkPatroni(plain)).toEqual([]);
  } finally {
    await plain.close();
    await server.stop();
  }
}, 60_000);

const sound: PatroniFacts = {
  standbys: 2,
  settings: { synchronous_mode: true, synchronous_mode_strict: true },
  version: '3.0.2',
  usesEtcd3: false,
};
const levels = (facts: Partial<PatroniFacts>) =>
  patroniFindings({ ...sound, ...facts }).map(({ level, says }) => `${level}: ${says}`);

test('the doctor reports a sound cluster as ok', () => {
  expect(levels({})).toEqual([
    'ok: Patroni 3.0.2 runs the database in strict synchronous mode, and 2 standbys stream.',
  ]);
});

test('the doctor warns of a cluster with a single standby and of one without synchronous mode', () => {
  expect(levels({ standbys: 1 })).toEqual([
    'warning: Only one standby streams: if it fails, every send is refused.',
  ]);
  expect(levels({ settings: {} }).join()).toMatch(/^problem: synchronous_mode is off/);
});

test('the doctor reports etcd3 with Patroni before 3.0.3 and with an unknown version only', () => {
  const reports = (version: string | undefined) => levels({ version, usesEtcd3: true }).join();
  for (const version of ['3.0.2', '2.1.9', undefined]) expect(reports(version)).toContain('uses etcd3');
  for (const version of ['3.0.3', '3.1.0', '4.0.5']) expect(reports(version)).toMatch(/^ok/);
});
