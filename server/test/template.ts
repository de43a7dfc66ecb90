import { migrate } from '../src/platform/db/migrate.ts';
import { readSchemaFiles } from '../src/platform/db/schema-files.ts';
import { databaseUrl, runSql } from './database-url.ts';
import { keptName, makeOnce, monthOf } from './kept-database.ts';

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
  return keptName('template', monthOf(new Date()), files);
}
