import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { databaseUrl, type Link, openLink, socketUrl } from './database-url.ts';

export interface TestDatabase extends AsyncDisposable {
  name: string;
  url: string;
  /** The fastest connection from this machine. `url` has a host and a port, which a test can replace. */
  socketUrl: string;
}

/** Creates a migrated database for one test: `await using db = await testDatabase()`. */
export const testDatabase = (): Promise<TestDatabase> =>
  // Copying the files takes half as long as the default, which writes every page to the log.
  create(`template ${inject('templateName')} strategy file_copy`);

/** Creates an empty database. */
export async function emptyDatabase(): Promise<TestDatabase> {
  return create('template template0');
}

/** Test files of one worker share it. */
let admin: { url: string; link: Link } | undefined;

function adminLink(url: string): Link {
  if (admin?.url !== url) admin = { url, link: openLink(url) };
  return admin.link;
}

/** The URL of the server with the test databases, over the fastest connection. */
function adminUrl(): string {
  const folder = inject('socketFolder');
  return folder === undefined ? inject('adminUrl') : socketUrl(inject('adminUrl'), folder);
}

async function create(clause: string): Promise<TestDatabase> {
  const name = `sixdigit_test_${randomBytes(6).toString('hex')}`;
  const admin = adminLink(adminUrl());
  await admin.run(`create database ${name} ${clause}`);
  return {
    name,
    url: databaseUrl(inject('adminUrl'), name),
    socketUrl: databaseUrl(adminUrl(), name),
    async [Symbol.asyncDispose]() {
      await admin.run(`drop database if exists ${name} with (force)`);
    },
  };
}
