import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backUpEmbedded } from '../src/operations/commands/backup/backup.ts';
import { startEmbedded } from '../src/platform/db/embedded.ts';
import { startPostmaster, stopPostmaster } from '../src/platform/db/embedded-postmaster.ts';
import { chooseUser, findPrograms } from '../src/platform/db/embedded-programs.ts';
import { BACKUP_ROLE, passwordFile } from '../src/platform/db/embedded-roles.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { databaseUrl, runSql } from './database-url.ts';
import { roomiestFolder } from './roomiest-folder.ts';

/** A migrated primary and a standby with streaming replication, both embedded. */
export interface Pair extends AsyncDisposable {
  primaryUrl: string;
  standbyUrl: string;
  /** The standby still receives WAL, and serves its present state. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
  stopStandby(): Promise<void>;
  startStandby(): Promise<void>;
}

const log = { info: () => {}, error: () => {} };

export async function startPair(): Promise<Pair> {
  const folder = mkdtempSync(join(roomiestFolder(), 'pair-'));
  const [dataDir, copy] = [join(folder, 'primary'), join(folder, 'standby')];
  const settings = { fsync: 'off', min_wal_size: '80MB' };
  const primary = await startEmbedded({ dataDir, superuser: true, settings, log });
  await migrate(primary.url);
  appendFileSync(
    join(dataDir, 'postgres/pg_hba.conf'),
    `host replication ${BACKUP_ROLE} 127.0.0.1/32 scram-sha-256\n`,
  );
  await runSql(primary.url, 'select pg_reload_conf()');
  await backUpEmbedded({ dataDir, log }, copy);
  const cluster = join(copy, 'postgres');
  writeFileSync(join(cluster, 'standby.signal'), '');
  const password = readFileSync(passwordFile(dataDir), 'utf8').trim();
  const { port } = new URL(primary.url);
  const user = chooseUser(cluster);
  const { postgres } = await findPrograms(user);
  const options = {
    postgres,
    cluster,
    user,
    logFile: join(copy, 'postgres.log'),
    settings: {
      ...settings,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_locks_per_transaction: '256',
      primary_conninfo: `host=127.0.0.1 port=${port} user=${BACKUP_ROLE} password=${password}`,
      wal_retrieve_retry_interval: '100ms',
    },
  };
  let standby = await startPostmaster(options);
  const standbyPort = standby.port;
  let isRunning = true;
  const standbyUrl = new URL(databaseUrl(primary.url, 'sixdigit'));
  standbyUrl.port = String(standbyPort);
  const stopStandby = async () => {
    if (isRunning) await stopPostmaster(standby);
    isRunning = false;
  };
  return {
    primaryUrl: primary.url,
    standbyUrl: standbyUrl.href,
    pauseReplay: async () => void (await runSql(standbyUrl.href, 'select pg_wal_replay_pause()')),
    resumeReplay: async () => void (await runSql(standbyUrl.href, 'select pg_wal_replay_resume()')),
    stopStandby,
    async startStandby() {
      if (isRunning) return;
      standby = await startPostmaster(options, standbyPort);
      isRunning = true;
    },
    async [Symbol.asyncDispose]() {
      await stopStandby();
      await primary.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
