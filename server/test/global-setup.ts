import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestProject } from 'vitest/node';
import { startEmbedded } from '../src/platform/db/embedded.ts';
import { isDataDirLocked } from '../src/platform/db/embedded-lock.ts';
import { endLeftOver } from '../src/platform/db/embedded-postmaster.ts';
import { runSql, socketUrl } from './database-url.ts';
import { copyKeptCluster, keepCluster } from './kept-cluster.ts';
import { removeOutdated } from './kept-database.ts';
import { roomiestFolder } from './roomiest-folder.ts';
import { keepTemplate } from './template.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the server with the test databases, for a role that may create databases. */
    adminUrl: string;
    /** The folder with the server's Unix socket, which costs half the CPU time of TCP. */
    socketFolder: string | undefined;
    /** The migrated database that each test database is cloned from. */
    templateName: string;
  }
}

const prefix = 'sixdigit-test-';

/**
 * Provides one PostgreSQL with a migrated template database for the whole run: the server in TEST_DATABASE_URL, or an embedded
 * one.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServer();
  let templateName: string;
  try {
    await removeOutdated(server.url, new Date());
    templateName = await keepTemplate(server.url);
  } catch (error) {
    await server.stop();
    throw error;
  }
  project.provide('adminUrl', server.url);
  project.provide('socketFolder', server.socketFolder);
  project.provide('templateName', templateName);
  return () => server.stop();
}

async function startServer(): Promise<{
  url: string;
  socketFolder: string | undefined;
  stop(): Promise<void>;
}> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { url: given, socketFolder: undefined, stop: async () => {} };
  await clearAbandoned();
  const dataDir = mkdtempSync(join(roomiestFolder(), prefix));
  if (!copyKeptCluster(dataDir)) await makeCluster(dataDir);
  const server = await startOn(dataDir);
  const cluster = join(dataDir, 'postgres');
  // The permissions of the socket's folder control access to it. Over TCP, every connection checks the password, so the check
  // must be cheap.
  appendFileSync(join(cluster, 'pg_hba.conf'), 'local all all trust\n');
  const { username, password } = new URL(server.url);
  await runSql(
    server.url,
    `select pg_reload_conf(); set scram_iterations = 1; alter role ${username} password '${password}'`,
  );
  return {
    url: server.url,
    socketFolder: (await acceptsConnections(server.url, cluster)) ? cluster : undefined,
    async stop() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

const startOn = (dataDir: string) =>
  startEmbedded({
    dataDir,
    log: { info: () => {}, error: console.error },
    settings: SETTINGS,
    superuser: true,
  });

async function makeCluster(dataDir: string): Promise<void> {
  const server = await startOn(dataDir);
  try {
    await keepTemplate(server.url);
  } finally {
    await server.stop();
  }
  keepCluster(dataDir);
}

/** Test databases need not survive a power cut, and several concurrent services need connections. */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  // The files of test databases are in memory.
  io_method: 'sync',
  bgwriter_lru_maxpages: '0',
  max_connections: '300',
  // relative to the cluster
  unix_socket_directories: '.',
};

/** Whether the socket is usable. Its path can be too long, and the server needs a moment to read its configuration. */
async function acceptsConnections(url: string, socketFolder: string): Promise<boolean> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    try {
      await runSql(socketUrl(url, socketFolder), 'select 1');
      return true;
    } catch {
      await sleep(20);
    }
  }
  return false;
}

/** Stops the servers and removes the folders of killed test runs. */
async function clearAbandoned(): Promise<void> {
  const folders = [...new Set([tmpdir(), roomiestFolder()])];
  const abandoned = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.startsWith(prefix))
      .map((name) => join(folder, name)),
  );
  for (const dataDir of abandoned) {
    // Another run may be removing its folder at the same time.
    const found = statSync(dataDir, { throwIfNoEntry: false });
    if (!found || Date.now() - found.mtimeMs < 60_000 || isDataDirLocked(dataDir)) continue;
    await endLeftOver(join(dataDir, 'postgres'));
    rmSync(dataDir, { recursive: true, force: true });
  }
}
