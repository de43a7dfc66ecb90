import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openClient, runSql } from './database-url.ts';

/** Databases that tests clone. Each is made once per server, under a name that tells what it was made from. */

const ROOT = join(import.meta.dirname, '../..');
const PREFIX = 'sixdigit_kept';

/** The name of a database made from these texts in this period, such as `202601`. */
export function keptName(kind: string, period: string, texts: Iterable<string>): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text).update('\0');
  return `${PREFIX}_${kind}_${period}_${hash.digest('hex').slice(0, 16)}`;
}

/** The digits of the UTC month. */
export const monthOf = (at: Date): string => at.toISOString().slice(0, 7).replace('-', '');

/** The texts of a folder's files, without tests. */
export function* sourcesIn(folder: string): Generator<string> {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).sort();
  for (const name of names)
    if (/\.(?:ts|sql|json)$/.test(name) && !name.endsWith('.test.ts'))
      yield readFileSync(join(ROOT, folder, name), 'utf8');
}

/**
 * Makes a database unless the server has it. A lock lets one of several runs make it, and a killed run leaves only one with
 * another name, which the next one removes.
 */
export async function makeOnce(url: string, name: string, make: (unfinished: string) => Promise<void>) {
  const unfinished = `${name}_new`;
  await using client = await openClient(url);
  await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
  const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
  if (rowCount) return;
  await client.query(`drop database if exists ${unfinished} with (force)`);
  await make(unfinished);
  await client.query(`alter database ${unfinished} rename to ${name}`);
}

/** Removes the databases of earlier months. Those of yesterday may still be in use. */
export async function removeOutdated(url: string, now: Date): Promise<void> {
  const oldest = monthOf(new Date(now.getTime() - 86_400_000));
  const kept = await runSql<{ name: string }>(
    url,
    `select datname as name from pg_database where datname like '${PREFIX.replaceAll('_', '\\_')}\\_%'`,
  );
  for (const { name } of kept) {
    const [, month = ''] = /_(\d+)_\w+$/.exec(name) ?? [];
    if (month < oldest) await runSql(url, `drop database if exists ${name}`);
  }
}
