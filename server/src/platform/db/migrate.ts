import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { monotonicMs } from '../clock.ts';
import { Refusal } from '../file-problem.ts';
import { SERVICE_LOCKS } from './advisory-locks.ts';
import { readSchemaFiles, type SchemaFile, type SchemaFiles } from './schema-files.ts';
import type { Sql } from './sql.ts';
import { connectionOf } from './tls.ts';

/** The names of the files that were run. */
export type Migrated = { migrations: string[]; functions: string[] };

const OLDEST_SERVER = 15;

/**
 * A migration that waits for a lock starts again after this time. Processes of the previous release wait behind it, and may hold the
 * very lock: PostgreSQL resolves such a deadlock after a second (`deadlock_timeout`), at the expense of either.
 */
const GIVE_WAY_MS = 500;
const PAUSE_MS = 100;

/**
 * Tables that each send locks, in its order (`admit_requests`). A migration that changes several of them first locks them in this
 * order, so that no send deadlocks with it.
 */
const LOCKED_BY_SENDS = ['api_keys', 'accounts'];

/**
 * Upgrades the database at `url` (a direct connection, as its owner) to `files`. Each migration runs once, in name order and in
 * a separate transaction; there are no downgrades. Then one transaction creates the functions whose text has changed. Several
 * processes may migrate at the same time, because each transaction takes an advisory lock. The lock ends with the transaction,
 * so this also works through a connection pooler. For `patienceMs`, each transaction starts again when it meets a locked table or
 * row; then it waits for the lock, for up to `patienceMs`.
 */
export async function migrate(
  url: string,
  files: SchemaFiles = readSchemaFiles(),
  { patienceMs = 10_000 }: { patienceMs?: number } = {},
): Promise<Migrated> {
  const client = new pg.Client({ ...connectionOf(url), application_name: 'sixdigit migrate' });
  // Without this listener, a lost connection would end the process. The pending statement fails in any case.
  client.on('error', () => {});
  await client.connect();
  try {
    await refuseOldServer(client);
    const migrations: string[] = [];
    for (const migration of unapplied(files.migrations, await readApplied(client))) {
      if (await runOnce(client, { migration, all: files.migrations, patienceMs }))
        migrations.push(migration.name);
    }
    return { migrations, functions: await createFunctions(client, files, patienceMs) };
  } finally {
    await client.end();
  }
}

/**
 * The names of the files that must run before this version can use the database. Functions of another version are ignored,
 * because they also serve this version's calls.
 */
export async function pendingFiles(sql: Sql, files: SchemaFiles = readSchemaFiles()): Promise<string[]> {
  const [table] = await sql.rows<{ exists: boolean }>(
    `select to_regclass('schema_functions') is not null as exists`,
  );
  const applied = table?.exists
    ? await sql.rows<{ name: string }>(
        'select name from schema_migrations union all select name from schema_functions',
      )
    : [];
  const names = new Set(applied.map(({ name }) => name));
  return [...files.migrations, ...files.functions].map(({ name }) => name).filter((name) => !names.has(name));
}

/** The names of the migrations that have run, including those of newer versions. */
export const appliedMigrations = async (sql: Sql): Promise<string[]> =>
  (await sql.rows<{ name: string }>('select name from schema_migrations order by name')).map(
    ({ name }) => name,
  );

async function refuseOldServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string }>(
    `select current_setting('server_version') as version`,
  );
  const version = rows[0]?.version ?? '';
  if (Number.parseInt(version, 10) < OLDEST_SERVER) {
    throw new Refusal(`PostgreSQL ${version} is too old: ${OLDEST_SERVER} or later is needed.`);
  }
}

type Applied = Map<string, string>;

/** The hashes of the migrations that this database has run, by name. */
async function readApplied(client: pg.Client): Promise<Applied> {
  const { rows: tables } = await client.query<{ exists: boolean }>(
    `select to_regclass('schema_migrations') is not null as exists`,
  );
  if (!tables[0]?.exists) return new Map();
  const { rows } = await client.query<{ name: string; sha256: string }>(
    'select name, sha256 from schema_migrations',
  );
  return new Map(rows.map(({ name, sha256 }) => [name, sha256]));
}

function unapplied(migrations: SchemaFile[], applied: Applied): SchemaFile[] {
  const known = new Set(migrations.map(({ name }) => name));
  const last = migrations.at(-1)?.name ?? '';
  const foreign = [...applied.keys()].sort().find((name) => name < last && !known.has(name));
  if (foreign !== undefined) {
    throw new Refusal(
      `This database has run the migration ${foreign}, which is not part of this version, so it cannot be upgraded: ` +
        'start the version that made it, or start this version on an empty database.',
    );
  }
  for (const { name, sha256 } of migrations) {
    if (applied.has(name) && applied.get(name) !== sha256) {
      throw new Refusal(
        `The migration ${name} has changed since this database ran it. ` +
          'A migration never changes once it has run: restore it and add a new one.',
      );
    }
  }
  return migrations.filter(({ name }) => !applied.has(name));
}

/** Returns false if another process has already applied the migration. */
async function runOnce(
  client: pg.Client,
  { migration, all, patienceMs }: { migration: SchemaFile; all: SchemaFile[]; patienceMs: number },
): Promise<boolean> {
  return inLockedTransaction(client, patienceMs, async () => {
    if (!unapplied(all, await readApplied(client)).includes(migration)) return false;
    for (const text of [...locksOf(migration), migration.text]) {
      await client.query(text).catch((error) => {
        throw explain('migration', migration, error);
      });
    }
    await client.query('insert into schema_migrations (name, sha256) values ($1, $2)', [
      migration.name,
      migration.sha256,
    ]);
    return true;
  });
}

function locksOf({ text }: SchemaFile): string[] {
  const changed = LOCKED_BY_SENDS.filter((table) => new RegExp(`^alter table ${table}\\b`, 'm').test(text));
  return changed.length > 1 ? [`lock table ${changed.join(', ')}`] : [];
}

type Created = { name: string; sha256: string; version: string };

/**
 * Creates the functions whose text has changed. Their order does not matter, because their bodies are not checked until they
 * run. An older process that starts during a rolling restart does not replace functions of the newer version.
 */
async function createFunctions(client: pg.Client, files: SchemaFiles, patienceMs: number): Promise<string[]> {
  return inLockedTransaction(client, patienceMs, async () => {
    const { rows } = await client.query<Created>('select name, sha256, version from schema_functions');
    const created = new Map(rows.map((row) => [row.name, row]));
    const known = new Set(files.migrations.map(({ name }) => name));
    const isOlder =
      [...(await readApplied(client)).keys()].some((name) => !known.has(name)) ||
      rows.some(({ version }) => isBefore(files.version, version));
    const changed = files.functions.filter(({ name, sha256 }) =>
      isOlder ? !created.has(name) : created.get(name)?.sha256 !== sha256,
    );
    await client.query('set local check_function_bodies = off');
    for (const file of changed) await createFunction(client, file, files.version);
    if (!isOlder) await dropFunctions(client, rows, files.functions);
    return changed.map(({ name }) => name);
  });
}

async function createFunction(client: pg.Client, file: SchemaFile, version: string): Promise<void> {
  const name = functionOf(file);
  const fail = (error: Error): never => {
    throw explain('function', file, error);
  };
  await client.query(file.text).catch(fail);
  const { rows } = await client.query<{ n: number }>(
    'select count(*)::integer as n from pg_proc where proname = $1 and pronamespace = current_schema()::regnamespace',
    [name],
  );
  if (rows[0]?.n !== 1) {
    throw new Refusal(
      `The file of the function ${name} must create ${name} with the arguments that the database has: ` +
        'a function with other arguments gets a name and a file of its own.',
    );
  }
  await client.query(
    `insert into schema_functions (name, sha256, version) values ($1, $2, $3)
     on conflict (name) do update set sha256 = excluded.sha256, version = excluded.version, created_at = now()`,
    [file.name, file.sha256, version],
  );
}

/** Drops functions whose files were removed. */
async function dropFunctions(client: pg.Client, created: Created[], functions: SchemaFile[]): Promise<void> {
  const known = new Set(functions.map(({ name }) => name));
  for (const { name } of created.filter((row) => !known.has(row.name))) {
    await client.query(`drop function if exists ${functionOf({ name })}`);
    await client.query('delete from schema_functions where name = $1', [name]);
  }
}

const functionOf = ({ name }: { name: string }): string => name.replace(/\.sql$/, '');

function isBefore(version: string, other: string): boolean {
  const [mine, theirs] = [version, other].map((text) => text.split(/[.-]/).slice(0, 3).map(Number));
  const difference = theirs?.map((part, n) => part - (mine?.[n] ?? 0)).find((part) => part !== 0);
  return (difference ?? 0) > 0;
}

async function inLockedTransaction<T>(
  client: pg.Client,
  patienceMs: number,
  work: () => Promise<T>,
): Promise<T> {
  for (const until = monotonicMs() + patienceMs; monotonicMs() < until; await sleep(PAUSE_MS)) {
    try {
      return await tryInLockedTransaction(client, Math.min(GIVE_WAY_MS, patienceMs), work);
    } catch (error) {
      if (!isLocked(error)) throw error;
    }
  }
  return tryInLockedTransaction(client, patienceMs, work);
}

async function tryInLockedTransaction<T>(
  client: pg.Client,
  lockTimeoutMs: number,
  work: () => Promise<T>,
): Promise<T> {
  await client.query('begin');
  try {
    await client.query('select pg_advisory_xact_lock($1)', [SERVICE_LOCKS.schema]);
    await client.query(
      `create table if not exists schema_migrations (
         name text primary key, sha256 text not null, applied_at timestamptz not null default now());
       create table if not exists schema_functions (
         name text primary key, sha256 text not null, version text not null, created_at timestamptz not null default now())`,
    );
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/** Whether a lock was not available, or a deadlock was resolved at the expense of this transaction. */
function isLocked(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? error) as { code?: unknown };
  return code === '55P03' || code === '40P01';
}

const ADVICE: Record<string, string | undefined> = {
  '55P03': ' Another transaction holds the table: run it again.',
  '42501':
    ' Make the user of the service the owner of the database: it needs CREATE on it and on its schemas.',
  '42P13': ' A function with another result gets a name and a file of its own.',
};

function explain(
  kind: 'migration' | 'function',
  { name, text }: SchemaFile,
  error: Error & { position?: string; code?: string },
): Error {
  const line = error.position ? `:${text.slice(0, Number(error.position)).split('\n').length}` : '';
  const advice = ADVICE[error.code ?? ''] ?? '';
  return new Refusal(`The ${kind} ${name}${line} failed: ${error.message}.${advice}`, { cause: error });
}
