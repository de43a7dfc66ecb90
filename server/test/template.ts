import { migrate } from '../src/platform/db/migrate.ts';
import { readSchemaFiles } from '../src/platform/db/schema-files.ts';
import { databaseUrl, runSql } from './database-url.ts';
import { dayOf, keptName, makeOnce, sourcesIn } from './kept-database.ts';

/** The migrated database that test databases are cloned from, with the partitions that a running service creates. */
export async function keepTemplate(url: string): Promise<string> {
  const name = templateName();
  await makeOnce(url, name, async (unfinished) => {
    await runSql(url, `create database ${unfinished}`);
    await migrate(databaseUrl(url, unfinished));
    await runSql(databaseUrl(url, unfinished), 'select ensure_partitions(now()::date, 4)');
  });
  return name;
}

/** The partitions depend on the month. */
export function templateName(): string {
  const { migrations, functions } = readSchemaFiles();
  const files = [...migrations, ...functions].flatMap(({ name, sha256 }) => [name, sha256]);
  return keptName('template', dayOf(new Date()).slice(0, 6), files);
}

/**
 * Of the database that `lively()` clones. Its rows age within a day. Until then, changed code of the service meets the rows of
 * the code before it, as in a deployment.
 */
export const livelyName = (): string =>
  keptName('lively', dayOf(new Date()), [...sourcesIn('server/sql'), ...sourcesIn('server/test/lively')]);
