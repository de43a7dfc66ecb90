/**
 * An embedded PostgreSQL with all its files in DATA_DIR: `postgres/` (the cluster), `postgres-password`, `postgres.log` and
 * `postgres.lock`. It listens on 127.0.0.1 with a password, runs as an ordinary user even if the service runs as root, restarts
 * when it dies, and stops with the service. Every committed row survives a crash of either process.
 */

import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal, readIfAny } from '../file-problem.ts';
import { isDataDirLocked, lockDataDir } from './embedded-lock.ts';
import {
  type ClusterOptions,
  clusterArgument,
  endLeftOver,
  type Postmaster,
  postgresProblem,
  readPidFile,
  startPostmaster,
  stopPostmaster,
} from './embedded-postmaster.ts';
import { chooseUser, findPrograms, type Programs, run, type SystemUser } from './embedded-programs.ts';
import {
  BACKUP_ROLE,
  createWalAhead,
  ensureRoles,
  letSuperuserIn,
  MIN_WAL_SIZE,
  passwordFile,
  SERVICE_ROLE,
  SUPERUSER,
} from './embedded-roles.ts';

export type Embedded = { url: string; stop(): Promise<void> };

export type EmbeddedOptions = {
  dataDir: string;
  log: EmbeddedLog;
  /** Uses a database that already runs on this folder instead of refusing to start. */
  join?: boolean;
  /** Returns the superuser's URL, for tests that create databases and roles. */
  superuser?: boolean;
  /** Settings that replace the defaults. */
  settings?: Record<string, string>;
  /** The folder with bin/, lib/ and share/. By default, that of the installed package. */
  programs?: string;
};

type EmbeddedLog = {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
};

/** Sized for a small machine: two cores, about 1 GB for the database. */
const defaultSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  // a batch holds two locks per recipient and one per verification
  max_locks_per_transaction: '256',
  shared_buffers: '128MB',
  min_wal_size: MIN_WAL_SIZE,
  fsync: 'on',
  synchronous_commit: 'on',
  random_page_cost: '1.1',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  autovacuum_naptime: '15s',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] ',
};

const logLimitBytes = 5_000_000;

/** Starts the database of this data folder, after creating it if necessary. Throws a `Refusal`. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const dataDir = resolve(options.dataDir);
  const cluster = join(dataDir, 'postgres');
  mkdirSync(dataDir, { recursive: true });
  if (options.join && isDataDirLocked(dataDir)) return joinRunning(dataDir, cluster);

  const unlock = lockDataDir(dataDir);
  try {
    removeIfEmpty(cluster);
    const leftOver = await endLeftOver(cluster);
    if (leftOver)
      options.log.info({ pid: leftOver }, 'stopped a PostgreSQL that a killed service had left running');
    const user = chooseUser(cluster);
    const programs = await findPrograms(user, options.programs);
    if (user && existsSync(cluster) && statSync(cluster).uid === 0) giveTo(user, cluster);
    const server: Cluster = { dataDir, cluster, user, programs };
    if (!existsSync(cluster)) await createCluster(server, options.settings?.fsync !== 'off');
    checkCluster(server);
    restoreConfiguration(server);
    await ensureRoles(server, cluster);
    const password = options.superuser ? await letSuperuserIn(server, cluster) : undefined;
    const logFile = join(dataDir, 'postgres.log');
    if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > logLimitBytes) rmSync(logFile);
    const settings = { ...defaultSettings, ...options.settings };
    return await supervise(
      { postgres: programs.postgres, cluster, user, logFile, settings },
      options.log,
      { dataDir, superuserPassword: password },
      unlock,
    );
  } catch (error) {
    unlock();
    throw error;
  }
}

type Cluster = { dataDir: string; cluster: string; user: SystemUser; programs: Programs };

async function supervise(
  options: ClusterOptions,
  log: EmbeddedLog,
  { dataDir, superuserPassword }: { dataDir: string; superuserPassword: string | undefined },
  unlock: () => void,
): Promise<Embedded> {
  let running: Postmaster = await startPostmaster(options);
  let restarting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;

  const watch = () => {
    running.process.once('exit', (code, signal) => {
      if (stopping) return;
      log.error({ code, signal }, 'PostgreSQL exited unexpectedly; restarting it');
      restarting = restart();
    });
  };
  const restart = async () => {
    while (!stopping) {
      try {
        running = await startPostmaster(options, running.port);
        watch();
        return;
      } catch (error) {
        log.error({ err: error }, 'PostgreSQL could not be restarted');
        await sleep(1000);
      }
    }
  };
  const stop = async () => {
    await restarting;
    await stopPostmaster(running);
    process.off('exit', endWithService);
    unlock();
  };
  // A last resort if the service exits without stopping its database.
  const endWithService = () => {
    running.process.kill('SIGINT');
  };

  watch();
  process.on('exit', endWithService);
  return {
    url: superuserPassword
      ? `postgres://${SUPERUSER}:${superuserPassword}@127.0.0.1:${running.port}/sixdigit`
      : urlOf(dataDir, running.port),
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

/** The database that another process runs on this folder, if it is ready. */
export function findRunning(folder: string): { url: string } | undefined {
  const dataDir = resolve(folder);
  const written = readPidFile(join(dataDir, 'postgres'));
  return isDataDirLocked(dataDir) && written?.isReady ? { url: urlOf(dataDir, written.port) } : undefined;
}

async function joinRunning(dataDir: string, cluster: string): Promise<Embedded> {
  while (isDataDirLocked(dataDir)) {
    const written = readPidFile(cluster);
    if (written?.isReady) return { url: urlOf(dataDir, written.port), stop: async () => {} };
    await sleep(50);
  }
  throw new Refusal(`The process that was starting the database in ${dataDir} has ended. Start again.`);
}

/**
 * Creates the cluster in a temporary folder and renames it last, so that an interrupted start does not leave a partial cluster.
 */
async function createCluster(server: Cluster, isDurable: boolean): Promise<void> {
  const { dataDir, cluster } = server;
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith('postgres.new.')) rmSync(join(dataDir, name), { recursive: true, force: true });
  }
  const unfinished = join(dataDir, `postgres.new.${randomBytes(4).toString('hex')}`);
  try {
    await makeCluster(server, unfinished, isDurable);
    if (isDurable) await createWalAhead(server, unfinished);
    renameSync(unfinished, cluster);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    rmSync(passwordFile(dataDir), { force: true });
    throw error;
  }
}

async function makeCluster(server: Cluster, folder: string, isDurable: boolean): Promise<void> {
  const { dataDir, cluster, user, programs } = server;
  mkdirSync(folder, { mode: 0o700 });
  if (user) chownSync(folder, user.uid, user.gid);
  const made = await run(
    programs.initdb,
    [
      ...['-D', clusterArgument(folder, user), '-U', SUPERUSER, '--auth=trust', '--encoding=UTF8'],
      ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
      ...(isDurable ? [] : ['--no-sync', '--no-data-checksums']),
    ],
    { user, cwd: folder },
  );
  if (made.code !== 0)
    throw new Refusal(postgresProblem('PostgreSQL could not create its files', made.output, { cluster }));
  writeFileSync(join(folder, HBA), ADMITTED);
  // A password file left by an earlier cluster of this folder is not valid for this one.
  rmSync(passwordFile(dataDir), { force: true });
  await ensureRoles(server, folder);
}

const HBA = 'pg_hba.conf';
const ADMITTED = 'host all all 127.0.0.1/32 scram-sha-256\n';

/** An empty folder counts as absent: an interrupted copy or a mount point may have created it. */
function removeIfEmpty(cluster: string): void {
  if (statSync(cluster, { throwIfNoEntry: false })?.isDirectory() && readdirSync(cluster).length === 0)
    rmdirSync(cluster);
}

/** Recreates missing configuration files. Their contents do not matter, because every setting is passed at startup. */
function restoreConfiguration({ cluster, user }: Cluster): void {
  for (const [name, text] of [
    [HBA, ADMITTED],
    ['postgresql.conf', ''],
    ['pg_ident.conf', ''],
  ] as const) {
    const file = join(cluster, name);
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw Object.assign(new Error(name), { code: 'EISDIR', path: file });
    if (found && (found.size > 0 || text === '')) continue;
    writeFileSync(file, text, { mode: 0o600 });
    if (user) chownSync(file, user.uid, user.gid);
  }
}

/** A cluster that root copied from a backup belongs to root, and PostgreSQL refuses to run as root. */
function giveTo({ uid, gid }: NonNullable<SystemUser>, folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) giveTo({ uid, gid }, path);
    else lchownSync(path, uid, gid);
  }
  chownSync(folder, uid, gid);
}

function checkCluster({ cluster, user, programs }: Cluster): void {
  const { uid } = statSync(cluster);
  if (!user && process.getuid && uid !== process.getuid()) {
    throw new Refusal(
      `The database in ${cluster} belongs to another user (uid ${uid}): start as that user or as root, ` +
        'or set DATA_DIR to another folder.',
    );
  }
  const versionFile = join(cluster, 'PG_VERSION');
  const major = readIfAny(versionFile)?.trim() ?? '';
  if (!/^\d+$/.test(major))
    throw new Refusal(
      `The database in ${cluster} is damaged (${versionFile} names no version): restore a backup, or set DATA_DIR to another folder.`,
    );
  if (major !== programs.major) {
    throw new Refusal(
      `The database in ${cluster} was made by PostgreSQL ${major}, and this version brings ${programs.major}: ` +
        'start the version that made it and export the data, or set DATABASE_URL.',
    );
  }
}

function urlOf(dataDir: string, port: number): string {
  return `postgres://${SERVICE_ROLE}:${readFileSync(passwordFile(dataDir), 'utf8').trim()}@127.0.0.1:${port}/sixdigit`;
}

/** The URL of the same server, for the role that may copy it. */
export function backupUrl(url: string): string {
  const other = new URL(url);
  other.username = BACKUP_ROLE;
  return other.href;
}
