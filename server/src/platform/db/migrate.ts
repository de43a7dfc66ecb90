import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { Refusal } from '../refusal.ts';
import type { Sql } from './sql.ts';
import { connectionOf } from './tls.ts';

/**
 * The schema only moves forward. Each numbered file of `server/migrations` runs once, in name order, each in its own
 * transaction. Any number of processes may start at once: each file is guarded by a transaction-level advisory lock, which ends
 * with its transaction, so that connection poolers are safe.
 */
export type Migration = { name: string; text: string; sha256: string };

const shipped = join(import.meta.dirname, '../../../migrations');
const oldestServer = 15;
const lock = 'pg_advisory_xact_lock(7261001)';

export function readMigrations(directory = shipped): Migration[] {
  const names = readdirSync(directory).filter((name) => name.endsWith('.sql'));
  return names.sort().map((name) => {
    if (!/^\d{4}_\w+\.sql$/.test(name))
      throw new Refusal(`The migration ${name} is not named like 0001_name.sql.`);
    const text = readFileSync(join(directory, name), 'utf8');
    return { name, text, sha256: createHash('sha256').update(text).digest('hex') };
  });
}

/** Migrates the database at `url` (a direct connection, as its owner) and returns the names of the applied migrations. */
export async function migrate(url: string, migrations = readMigrations()): Promise<string[]> {
  const client = new pg.Client({ ...connectionOf(url), application_name: 'sixdigit migrate' });
  // Without a listener a lost connection would end the process. The pending statement still fails.
  client.on('error', () => {});
  await client.connect();
  try {
    await refuseOldServer(client);
    const ran: string[] = [];
    for (const migration of await pending(client, migrations)) {
      if (await runOnce(client, migration)) ran.push(migration.name);
    }
    return ran;
  } finally {
    await client.end();
  }
}

/** The names of the pending migrations. */
export async function pendingMigrations(sql: Sql, migrations = readMigrations()): Promise<string[]> {
  const [table] = await sql.rows<{ exists: boolean }>(
    `select to_regclass('schema_migrations') is not null as exists`,
  );
  const applied = table?.exists ? await sql.rows<{ name: string }>('select name from schema_migrations') : [];
  const names = new Set(applied.map(({ name }) => name));
  return migrations.map(({ name }) => name).filter((name) => !names.has(name));
}

async function refuseOldServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string }>(
    `select current_setting('server_version') as version`,
  );
  const version = rows[0]?.version ?? '';
  if (Number.parseInt(version, 10) < oldestServer) {
    throw new Refusal(`PostgreSQL ${version} is too old: ${oldestServer} or later is needed.`);
  }
}

async function pending(client: pg.Client, migrations: Migration[]): Promise<Migration[]> {
  const { rows } = await client.query<{ exists: boolean }>(
    `select to_regclass('schema_migrations') is not null as exists`,
  );
  if (!rows[0]?.exists) return migrations;
  const applied = await readApplied(client);
  return migrations.filter((migration) => !isApplied(migration, applied));
}

async function readApplied(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; sha256: string }>(
    'select name, sha256 from schema_migrations',
  );
  return new Map(rows.map(({ name, sha256 }) => [name, sha256]));
}

function isApplied({ name, sha256 }: Migration, applied: Map<string, string>): boolean {
  if (applied.has(name) && applied.get(name) !== sha256) {
    throw new Refusal(
      `The migration ${name} has changed since this database ran it. ` +
        'A migration never changes once it has run: put it back and add a new one.',
    );
  }
  return applied.has(name);
}

/** False if another process has applied it. */
async function runOnce(client: pg.Client, migration: Migration): Promise<boolean> {
  await client.query('begin');
  try {
    await client.query(`select ${lock}`);
    await client.query(
      `create table if not exists schema_migrations (
         name text primary key, sha256 text not null, applied_at timestamptz not null default now())`,
    );
    const isNew = !isApplied(migration, await readApplied(client));
    if (isNew) {
      // On a busy table, fail after 10 s instead of blocking the statements that queue behind this lock.
      await client.query(`set local lock_timeout = '10s'`);
      await client.query(migration.text).catch((error) => {
        throw explain(migration, error);
      });
      await client.query('insert into schema_migrations (name, sha256) values ($1, $2)', [
        migration.name,
        migration.sha256,
      ]);
    }
    await client.query('commit');
    return isNew;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

const ADVICE: Record<string, string | undefined> = {
  '55P03': ' Another transaction holds the table: run it again.',
  '42501':
    ' Make the user of the service the owner of the database: it needs CREATE on it and on its schemas.',
};

function explain({ name, text }: Migration, error: Error & { position?: string; code?: string }): Error {
  const line = error.position ? `:${text.slice(0, Number(error.position)).split('\n').length}` : '';
  const advice = ADVICE[error.code ?? ''] ?? '';
  return new Refusal(`The migration ${name}${line} failed: ${error.message}.${advice}`, { cause: error });
}
