import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { databaseUrl, runSql, socketUrl } from './database-url.ts';

export interface TestDatabase extends AsyncDisposable {
  name: string;
  url: string;
  /** The fastest way to it from this machine. `url` names a host and a port, which a test can replace. */
  socketUrl: string;
}

/** Creates a migrated database for one test: `await using db = await testDatabase()`. */
export async function testDatabase(): Promise<TestDatabase> {
  // copying the files takes half of the time that the default, writing every page to the log, takes
  return create(`template ${inject('templateName')} strategy file_copy`);
}

/** Creates an empty database. */
export async function emptyDatabase(): Promise<TestDatabase> {
  return create('template template0');
}

async function create(clause: string): Promise<TestDatabase> {
  const tcp = inject('adminUrl');
  const folder = inject('socketFolder');
  const adminUrl = folder === undefined ? tcp : socketUrl(tcp, folder);
  const name = `sixdigit_test_${randomBytes(6).toString('hex')}`;
  await runSql(adminUrl, `create database ${name} ${clause}`);
  return {
    name,
    url: databaseUrl(tcp, name),
    socketUrl: databaseUrl(adminUrl, name),
    async [Symbol.asyncDispose]() {
      await runSql(adminUrl, `drop database if exists ${name} with (force)`);
    },
  };
}
