import { resolve } from 'node:path';
import { monotonicMs } from '../../../platform/clock.ts';
import { freeDiskBytes } from '../../../platform/db/disk.ts';
import { findRunning } from '../../../platform/db/embedded.ts';
import { shrunkSettings, shrunkText } from '../../../platform/db/kept-days.ts';
import { appliedMigrations, pendingFiles } from '../../../platform/db/migrate.ts';
import { readSchemaFiles } from '../../../platform/db/schema-files.ts';
import { openDb, type Sql } from '../../../platform/db/sql.ts';
import { settleTls } from '../../../platform/db/tls.ts';
import {
  type DoctorContext,
  type Finding,
  ok,
  problem,
  unreachedBecause,
  warning,
} from '../../../platform/finding.ts';
import { storedKeyId } from '../../../platform/security/secret-key.ts';
import { carrierFindings } from './carriers.ts';
import { adviceFor } from './connection-advice.ts';
import { lookupFindings } from './look-up.ts';
import { checkPatroni } from './patroni.ts';
import { checkPayments } from './payments.ts';
import { poolerFindings } from './pooler.ts';
import { checkQueues } from './queues.ts';
import { readStandbyFindings } from './read-standby.ts';
import {
  capacityFindings,
  durabilityFindings,
  overrideFindings,
  readServerFacts,
  type ServerFacts,
} from './server-settings.ts';

const NAME = 'database';
const OLDEST = 15;
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
    const facts = await readServerFacts(db);
    if (facts.version < OLDEST)
      return [problem(NAME, `It is PostgreSQL ${facts.version}.`, `Move to ${OLDEST} or later.`)];
    const { latencyMs, offsetMs } = await measureClock(db, context);
    return [
      reachable(facts, latencyMs),
      ...durabilityFindings(facts),
      ...(await checkPatroni(db)),
      ...capacityFindings(facts),
      ...(await migrationFindings(db)),
      ...(await poolerFindings(context, url)),
      ...(await readStandbyFindings(db, context)),
      await diskSpaceFinding(db, context),
      ...(await retentionFindings(db, context)),
      ...(await keyFindings(db, context)),
      clockFinding(offsetMs),
      ...(await overrideFindings(db, config)),
      ...(await carrierFindings(db, context)),
      ...(await lookupFindings(db, context)),
      ...(await checkQueues(db)),
      ...(await checkPayments(db)),
    ];
  } finally {
    await db.close();
  }
}

function reachable({ version }: ServerFacts, latencyMs: number): Finding {
  const says = `PostgreSQL ${version} responds in ${latencyMs.toFixed(1)} ms.`;
  return latencyMs <= SLOW_MS
    ? ok(NAME, says)
    : warning(NAME, says, 'Every send needs several round trips: run both in the same data center.');
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
  const newer = (await appliedMigrations(db)).filter((name) => !known.has(name));
  return newer.length > 0
    ? [
        warning(
          NAME,
          `It was migrated by a newer version than this (${newer[0]}).`,
          'This is fine during an upgrade; otherwise start the newer version.',
        ),
      ]
    : [ok(NAME, 'Its migrations are up to date.')];
}

/** Waits for a confirmation, so that lost settings delete nothing. */
async function retentionFindings(db: Sql, { config }: DoctorContext): Promise<Finding[]> {
  const shrunk = await shrunkSettings(db, config).catch(() => []);
  return shrunk.map((one) =>
    warning(
      'retention',
      shrunkText(one),
      `If ${one.days} days are right, run \`npm start -- retention confirm\`. Otherwise set ${one.name} to ${one.kept_days} again.`,
    ),
  );
}

async function keyFindings(db: Sql, { vault }: DoctorContext): Promise<Finding[]> {
  const stored = await storedKeyId(db).catch(() => undefined);
  if (!vault || !stored || stored === vault.keyId) return [];
  return vault.previousKeyIds.includes(stored)
    ? [
        warning(
          'secret key',
          'The processes still write under the previous key.',
          'They use the new one ten seconds after every process has been started with it.',
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

/** The shortest of several round trips, and the offset of the process clock from the database clock. */
async function measureClock(
  db: Sql,
  { clock }: DoctorContext,
): Promise<{ latencyMs: number; offsetMs: number }> {
  let latencyMs = Number.POSITIVE_INFINITY;
  let offsetMs = 0;
  for (let n = 0; n < 5; n++) {
    const startedMs = monotonicMs();
    const before = clock.now().getTime();
    const { at } = await db.one<{ at: number }>('select extract(epoch from clock_timestamp()) * 1000 as at');
    const tookMs = monotonicMs() - startedMs;
    if (tookMs >= latencyMs) continue;
    latencyMs = tookMs;
    offsetMs = before + tookMs / 2 - at;
  }
  return { latencyMs, offsetMs };
}

export function clockFinding(offsetMs: number): Finding {
  const seconds = Math.abs(offsetMs) / 1000;
  const says = `This machine's clock is ${seconds.toFixed(seconds < 10 ? 2 : 0)} s ${offsetMs < 0 ? 'behind' : 'before'} the database's.`;
  const advice = 'Synchronize the clocks of both machines by NTP (chrony or systemd-timesyncd).';
  if (seconds > 60) return problem('clock', says, `Signed calls will be refused. ${advice}`);
  return seconds > 2 ? warning('clock', says, advice) : ok('clock', says);
}

/** Checks the free disk space if this process can see the server's files. Otherwise another tool must monitor it. */
async function diskSpaceFinding(db: Sql, { config }: DoctorContext): Promise<Finding> {
  const { bytes } = await db.one<{ bytes: number }>('select pg_database_size(current_database()) as bytes');
  const free = await freeDiskBytes(db, config);
  return free === null
    ? ok(NAME, `${gigabytes(bytes)} are used; free disk space is not visible from here.`)
    : diskSpaceOf(bytes, free);
}

const GB = 1_000_000_000;
const gigabytes = (bytes: number): string => `${(bytes / GB).toFixed(bytes < 10 * GB ? 2 : 0)} GB`;

export function diskSpaceOf(used: number, free: number): Finding {
  const says = `${gigabytes(used)} are used, ${gigabytes(free)} of its disk are free.`;
  const advice =
    'Add disk space, or lower RETENTION_DAYS or LOG_RETENTION_DAYS: a full disk refuses every send.';
  if (free < GB / 4) return problem(NAME, says, advice);
  return free < 2 * GB ? warning(NAME, says, advice) : ok(NAME, says);
}
