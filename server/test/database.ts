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
export async function testDatabase(): Promise<TestDatabase> {
  // Copying the files takes half as long as the default, which writes every page to the log.
  return create(`template ${inject('templateName')} strategy file_copy`);
}

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

async function create(clause: string): Promise<TestDatabase> {
  const tcp = inject('adminUrl');
  const folder = inject('socketFolder');
  const adminUrl = folder === undefined ? tcp : socketUrl(tcp, folder);
  const name = `sixdigit_test_${randomBytes(6).toString('hex')}`;
  await adminLink(adminUrl).run(`create database ${name} ${clause}`);
  return {
    name,
    url: databaseUrl(tcp, name),
    socketUrl: databaseUrl(adminUrl, name),
    async [Symbol.asyncDispose]() {
      await adminLink(adminUrl).run(`drop database if exists ${name} with (force)`);
    },
  };
}
