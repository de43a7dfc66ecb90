import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbedded } from '../src/platform/db/embedded.ts';
import { isDataDirLocked } from '../src/platform/db/embedded-lock.ts';
import { endLeftOver } from '../src/platform/db/embedded-postmaster.ts';
import { runSql } from './database-url.ts';
import { createTemplate } from './template.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the server that holds the test databases, as a role that may create them. */
    adminUrl: string;
    /** The migrated database that each test database is cloned from. */
    templateName: string;
  }
}

const prefix = 'sixdigit-test-';

/** One PostgreSQL for the whole run, TEST_DATABASE_URL's or an embedded one, with a migrated template database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServer();
  const templateName = `sixdigit_template_${process.pid}`;
  try {
    await createTemplate(server.url, templateName);
  } catch (error) {
    await server.stop();
    throw error;
  }
  project.provide('adminUrl', server.url);
  project.provide('templateName', templateName);
  return async () => {
    await runSql(server.url, `drop database ${templateName} with (force)`);
    await server.stop();
  };
}

async function startServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { url: given, stop: async () => {} };
  await clearAbandoned();
  const dataDir = mkdtempSync(join(tmpdir(), prefix));
  const silent = { info: () => {}, error: console.error };
  // Test databases need not survive a power cut, and several services at once need connections.
  const settings = { fsync: 'off', full_page_writes: 'off', max_connections: '300' };
  const server = await startEmbedded({ dataDir, log: silent, settings, superuser: true });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Ends and removes what a killed test run left behind. */
async function clearAbandoned(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((name) => name.startsWith(prefix))) {
    const dataDir = join(tmpdir(), name);
    const isRecent = Date.now() - statSync(dataDir).mtimeMs < 60_000;
    if (isRecent || isDataDirLocked(dataDir)) continue;
    await endLeftOver(join(dataDir, 'postgres'));
    rmSync(dataDir, { recursive: true, force: true });
  }
}
