import { migrate } from '../src/platform/db/migrate.ts';
import { databaseUrl, runSql } from './database-url.ts';

/** Creates the migrated database that test databases are cloned from, with the partitions that a running service creates. */
export async function createTemplate(url: string, name: string): Promise<void> {
  await runSql(url, `drop database if exists ${name} with (force)`);
  await runSql(url, `create database ${name}`);
  await migrate(databaseUrl(url, name));
  await runSql(databaseUrl(url, name), `select ensure_partitions(now()::date, 4)`);
}
