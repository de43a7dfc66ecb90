import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import pg from 'pg';
import { findRunning } from '../../platform/db/embedded.ts';
import { pendingFiles } from '../../platform/db/migrate.ts';
import { readSchemaFiles } from '../../platform/db/schema-files.ts';
import { openDb, type Sql } from '../../platform/db/sql.ts';
import { connectionOf, isTlsFailure, settleTls } from '../../platform/db/tls.ts';
import { isLoopbackHost } from '../../platform/exposure.ts';
import type { DoctorContext } from './context.ts';
import { type Finding, ok, problem, unreachedBecause, warning } from './finding.ts';
import { checkPayments } from './payments.ts';
import { checkQueues } from './queues.ts';

const NAME = 'database';
const OLDEST = 15;
const LOCKS = 256;
const SLOW_MS = 10;

/** Checks the database, the difference between the two clocks, and the heartbeats of the workers. */
export async function checkDatabase(context: DoctorContext): Promise<Finding[]> {
  const { config } = context;
  const found = config.databaseUrl ?? findRunning(config.dataDir)?.url;
  if (!found)
    return [
      warning(
        NAME,
        `The embedded PostgreSQL of ${resolve(config.dataDir)} does not run.`,
        'Start the service, or set DATA_DIR or DATABASE_URL as the service does, and run the doctor again.',
      ),
    ];
  let url: string;
  try {
    url = await settleTls(found);
  } catch (error) {
    return [problem(NAME, `It cannot be used: ${unreachedBecause(error)}.`, adviceFor(error))];
  }
  const db = openDb({ url, log: { warn: () => undefined }, max: 1, applicationName: 'sixdigit doctor' });
  try {
    await db.rows('select 1');
  } catch (error) {
    await db.close();
    return [problem(NAME, `It cannot be used: ${unreachedBecause(error)}.`, adviceFor(error))];
  }
  try {
    const facts = await readFacts(db);
    if (facts.version < OLDEST)
      return [problem(NAME, `It is PostgreSQL ${facts.version}.`, `Move to ${OLDEST} or later.`)];
    const { latencyMs, offsetMs } = await measure(db, context);
    return [
      reachable(facts, latencyMs),
      ...honesty(facts),
      ...capacity(facts),
      ...(await migrationFindings(db)),
      ...(await poolerFindings(context, url)),
      await roomFinding(db, context),
      ...(await keyFindings(db, context)),
      clockFinding(offsetMs),
      ...(await checkQueues(db)),
      ...(await checkPayments(db)),
    ];
  } finally {
    await db.close();
  }
}

const ADVICE: Record<string, string | undefined> = {
  '28P01': 'Correct the password in DATABASE_URL.',
  '28000': "Allow this user and address in the server's pg_hba.conf.",
  '3D000': 'Create the database, or name the right one in DATABASE_URL.',
  '53300': 'Raise max_connections of the server, or use a pooler.',
};
const adviceFor = (error: unknown): string =>
  (isTlsFailure(error) ? 'See sslmode and sslrootcert of DATABASE_URL (docs/operating.md).' : undefined) ??
  ADVICE[String((error as { code?: unknown }).code)] ??
  'Start it, and check host and port in DATABASE_URL and any firewall.';

export interface Facts {
  version: number;
  fsync: string;
  full_page_writes: string;
  synchronous_commit: string;
  locks: number;
  max_connections: number;
  connections: number;
  is_standby: boolean;
  read_only: string;
}

const readFacts = (db: Sql): Promise<Facts> =>
  db.one(
    `select current_setting('server_version_num')::int / 10000 as version, current_setting('fsync') as fsync,
       current_setting('full_page_writes') as full_page_writes,
       current_setting('synchronous_commit') as synchronous_commit,
       current_setting('max_locks_per_transaction')::int as locks,
       current_setting('max_connections')::int as max_connections,
       (select count(*) from pg_stat_activity where backend_type = 'client backend') as connections,
       pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') as read_only`,
  );

/** The shortest of several round trips, and the offset of the process clock from the database clock. */
async function measure(db: Sql, { clock }: DoctorContext): Promise<{ latencyMs: number; offsetMs: number }> {
  let latencyMs = Number.POSITIVE_INFINITY;
  let offsetMs = 0;
  for (let n = 0; n < 5; n++) {
    const startedMs = performance.now();
    const before = clock.now().getTime();
    const { at } = await db.one<{ at: number }>('select extract(epoch from clock_timestamp()) * 1000 as at');
    const tookMs = performance.now() - startedMs;
    if (tookMs >= latencyMs) continue;
    latencyMs = tookMs;
    offsetMs = before + tookMs / 2 - at;
  }
  return { latencyMs, offsetMs };
}

function reachable({ version }: Facts, latencyMs: number): Finding {
  const says = `PostgreSQL ${version} responds in ${latencyMs.toFixed(1)} ms.`;
  return latencyMs <= SLOW_MS
    ? ok(NAME, says)
    : warning(NAME, says, 'Every send needs several round trips: run both in the same data centre.');
}

export function honesty(facts: Facts): Finding[] {
  const found: Finding[] = [];
  if (facts.is_standby || facts.read_only === 'on')
    found.push(
      problem(
        NAME,
        'It accepts no writes: it is a standby or read-only.',
        'Name the primary in DATABASE_URL.',
      ),
    );
  for (const name of ['fsync', 'full_page_writes'] as const)
    if (facts[name] === 'off')
      found.push(
        problem(NAME, `${name} is off: a power failure may corrupt the whole database.`, `Set ${name} = on.`),
      );
  if (facts.synchronous_commit === 'off')
    found.push(
      problem(
        NAME,
        'synchronous_commit is off: a crash can lose acknowledged sends.',
        'Set synchronous_commit = on for this user and database.',
      ),
    );
  if (facts.synchronous_commit === 'local')
    found.push(
      warning(
        NAME,
        'synchronous_commit is local: a failover can lose acknowledged sends.',
        'Set synchronous_commit = on if there are standbys.',
      ),
    );
  return found.length > 0 ? found : [ok(NAME, 'Commits are durable.')];
}

export function capacity({ locks, max_connections, connections }: Facts): Finding[] {
  const found: Finding[] = [];
  if (locks < LOCKS)
    found.push(
      warning(
        NAME,
        `max_locks_per_transaction is ${locks}: a batch locks each of its recipients, and large ones may not fit.`,
        `Set max_locks_per_transaction = ${LOCKS} and restart the server.`,
      ),
    );
  if (connections > max_connections * 0.8)
    found.push(
      warning(
        NAME,
        `${connections} of ${max_connections} connections are in use; each process of the service may take 20.`,
        'Raise max_connections, or use a pooler.',
      ),
    );
  return found;
}

async function migrationFindings(db: Sql): Promise<Finding[]> {
  const shipped = readSchemaFiles();
  const lacking = await pendingFiles(db, shipped);
  if (lacking.length === shipped.migrations.length + shipped.functions.length)
    return [warning(NAME, 'It is empty.', 'The first start migrates it; or run npm start -- migrate.')];
  if (lacking.length > 0)
    return [
      problem(
        NAME,
        `It is not up to date: ${lacking[0]} has not run${lacking.length > 1 ? `, and ${lacking.length - 1} more` : ''}.`,
        'Run npm start -- migrate with the version to be started.',
      ),
    ];
  const known = new Set(shipped.migrations.map(({ name }) => name));
  const rows = await db.rows<{ name: string }>('select name from schema_migrations order by name');
  const newer = rows.filter(({ name }) => !known.has(name));
  return newer.length > 0
    ? [
        warning(
          NAME,
          `It was migrated by a newer version than this (${newer[0]?.name}).`,
          'This is fine during an upgrade; otherwise start the newer version.',
        ),
      ]
    : [ok(NAME, 'Its migrations are up to date.')];
}

/** A pooler issues its own cancel keys, so its connection parameters may differ from the server's. */
async function isThroughPooler(url: string): Promise<boolean> {
  const client = new pg.Client({ ...connectionOf(await settleTls(url)), connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return rows[0]?.pid !== (client as unknown as { processID: number }).processID;
  } finally {
    await client.end();
  }
}

async function poolerFindings({ config }: DoctorContext, url: string): Promise<Finding[]> {
  const direct = config.migrateDatabaseUrl;
  if (!direct)
    return (await isThroughPooler(url))
      ? [
          ok(
            NAME,
            'The connection goes through a pooler such as PgBouncer, and so do migrations unless MIGRATE_DATABASE_URL is set.',
          ),
        ]
      : [];
  try {
    return (await isThroughPooler(direct))
      ? [
          warning(
            NAME,
            'MIGRATE_DATABASE_URL also goes through a pooler.',
            'Set it to a direct connection, or remove it.',
          ),
        ]
      : [ok(NAME, 'Migrations have a direct connection.')];
  } catch (error) {
    return [
      problem(NAME, `MIGRATE_DATABASE_URL cannot be used: ${unreachedBecause(error)}.`, adviceFor(error)),
    ];
  }
}

/** Checks free disk space if this process can see the server's files. Otherwise it must be monitored elsewhere. */
async function roomFinding(db: Sql, { config }: DoctorContext): Promise<Finding> {
  const { host } = config.databaseUrl ? new pg.Client(config.databaseUrl) : { host: 'localhost' };
  const folder = config.databaseUrl
    ? await db
        .maybe<{ folder: string }>(`select current_setting('data_directory') as folder`)
        .catch(() => undefined)
        .then((row) => row?.folder)
    : resolve(config.dataDir);
  const { bytes } = await db.one<{ bytes: number }>('select pg_database_size(current_database()) as bytes');
  const isHere = isLoopbackHost(host) || host.startsWith('/');
  const seen =
    isHere && folder && existsSync(folder) ? await statfs(folder).catch(() => undefined) : undefined;
  return seen
    ? roomOf(bytes, seen.bavail * seen.bsize)
    : ok(NAME, `${gigabytes(bytes)} are used; free disk space is not visible from here.`);
}

const GB = 1_000_000_000;
const gigabytes = (bytes: number): string => `${(bytes / GB).toFixed(bytes < 10 * GB ? 2 : 0)} GB`;

export function roomOf(used: number, free: number): Finding {
  const says = `${gigabytes(used)} are used, ${gigabytes(free)} of its disk are free.`;
  const advice = 'Add disk space, or lower RETENTION_DAYS: a full disk refuses every send.';
  if (free < GB / 4) return problem(NAME, says, advice);
  return free < 2 * GB ? warning(NAME, says, advice) : ok(NAME, says);
}

async function keyFindings(db: Sql, { vault }: DoctorContext): Promise<Finding[]> {
  const kept = await db
    .maybe<{ value: string }>(`select value from service_facts where name = 'secret_key_id'`)
    .catch(() => undefined);
  if (!vault || !kept || kept.value === vault.keyId) return [];
  return vault.previousKeyIds.includes(kept.value)
    ? [
        warning(
          'secret key',
          'The database still has the previous key.',
          'The next start with these settings completes the rotation.',
        ),
      ]
    : [
        problem(
          'secret key',
          'This database was written under another SECRET_KEY.',
          'Restore the old one; to change it, put the old one into SECRET_KEY_PREVIOUS.',
        ),
      ];
}

export function clockFinding(offsetMs: number): Finding {
  const seconds = Math.abs(offsetMs) / 1000;
  const says = `This machine's clock is ${seconds.toFixed(seconds < 10 ? 2 : 0)} s ${offsetMs < 0 ? 'behind' : 'before'} the database's.`;
  const advice = 'Synchronise the clocks of both machines by NTP (chrony or systemd-timesyncd).';
  if (seconds > 60) return problem('clock', says, `Signed calls will be refused. ${advice}`);
  return seconds > 2 ? warning('clock', says, advice) : ok('clock', says);
}
