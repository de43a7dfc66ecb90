import type { Config } from '../../../platform/config.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { synchronousStandbys, walReceivers } from '../../../platform/db/standbys.ts';
import { fileProblem, Refusal } from '../../../platform/file-problem.ts';
import { type Finding, ok, problem, warning } from '../../../platform/finding.ts';
import { readKeyFile } from '../../../platform/security/secret-key.ts';
import { newestChange } from '../../../settings/live-settings/live-settings.ts';
import { environmentText, LIVE_SETTING_NAMES } from '../../../settings/settings.ts';

const NAME = 'database';
/** the minimum `max_locks_per_transaction` */
const LOCKS = 256;

/** The state of the server and its settings. */
export interface ServerFacts {
  version: number;
  fsync: string;
  full_page_writes: string;
  synchronous_commit: string;
  locks: number;
  max_connections: number;
  connections: number;
  is_standby: boolean;
  read_only: string;
  /** standbys that confirm each commit */
  synchronous_standbys: number;
  /** standbys that stream */
  standbys: number;
}

export async function readServerFacts(db: Sql): Promise<ServerFacts> {
  const facts = await db.one<Omit<ServerFacts, 'synchronous_standbys' | 'standbys'>>(
    `select current_setting('server_version_num')::int / 10000 as version, current_setting('fsync') as fsync,
       current_setting('full_page_writes') as full_page_writes,
       current_setting('synchronous_commit') as synchronous_commit,
       current_setting('max_locks_per_transaction')::int as locks,
       current_setting('max_connections')::int as max_connections,
       (select count(*) from pg_stat_activity where backend_type = 'client backend') as connections,
       pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') as read_only`,
  );
  return { ...facts, synchronous_standbys: await synchronousStandbys(db), standbys: await walReceivers(db) };
}

/** Whether an acknowledged commit survives a crash or a failover. */
export function durabilityFindings(facts: ServerFacts): Finding[] {
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
  return found.length > 0 ? found : [standbyFinding(facts)];
}

/** Reports on how many disks an acknowledged commit is stored. */
function standbyFinding({ synchronous_standbys: confirming, standbys }: ServerFacts): Finding {
  if (confirming > 0)
    return ok(
      NAME,
      `Commits are durable, and each waits for ${confirming === 1 ? '1 standby' : `${confirming} standbys`}.`,
    );
  if (standbys === 0)
    return ok(
      NAME,
      'Commits are durable on the disk of this server. There is no standby that confirms them.',
    );
  return warning(
    NAME,
    `Commits are durable on the disk of this server alone, although ${standbys === 1 ? 'a standby streams' : `${standbys} standbys stream`}: a failover can lose acknowledged sends.`,
    'Set synchronous_standby_names on every node; with Patroni, synchronous_mode and synchronous_mode_strict.',
  );
}

export function capacityFindings({ locks, max_connections, connections }: ServerFacts): Finding[] {
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

/**
 * Reports the settings that operators have changed, with their values in the environment. Reports none if the database has not
 * been migrated yet.
 */
export async function overrideFindings(db: Sql, config: Config): Promise<Finding[]> {
  try {
    const found: Finding[] = [];
    for (const name of LIVE_SETTING_NAMES) {
      const change = await newestChange(db, name);
      if (change === undefined || change.value === null) continue;
      const day = change.created_at.slice(0, 10);
      found.push(
        ok(
          'settings',
          `${name} is ${change.value}, as an operator set it on ${day}; the environment has ${environmentText(config, name)}.`,
        ),
      );
    }
    return found;
  } catch {
    return [];
  }
}

/** The stored or configured server key. Unlike the service when it starts, the doctor does not create one. */
export function storedSecretKey(config: Pick<Config, 'secretKey' | 'dataDir'>): {
  key?: string;
  finding?: Finding;
} {
  if (config.secretKey) return { key: config.secretKey };
  try {
    const key = readKeyFile(config.dataDir);
    return key ? { key } : {};
  } catch (error) {
    const says = error instanceof Refusal ? error.message : fileProblem(error, config.dataDir);
    return {
      finding: problem(
        'secret key',
        says ?? `The server key in ${config.dataDir} cannot be read: ${(error as Error).message}`,
        'Run as the user of the service.',
      ),
    };
  }
}
