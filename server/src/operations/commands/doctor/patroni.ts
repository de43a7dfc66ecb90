import { readFileSync } from 'node:fs';
import type { Sql } from '../../../platform/db/sql.ts';
import { type Finding, ok, problem, warning } from '../../../platform/finding.ts';

const NAME = 'patroni';
const PORT = 8008;
const CONFIG_FILE = '/etc/patroni/config.yml';
const TIMEOUT_MS = 2_000;

export interface PatroniFacts {
  /** standbys that stream */
  standbys: number;
  /** undefined if Patroni's REST API did not respond */
  settings: { synchronous_mode?: unknown; synchronous_mode_strict?: unknown } | undefined;
  version: string | undefined;
  /** whether Patroni uses etcd's version 3 API. Only a node's configuration file tells */
  usesEtcd3: boolean;
}

/** Checks the cluster if Patroni runs the server. */
export async function checkPatroni(
  db: Sql,
  { port = PORT, configFile = CONFIG_FILE }: { port?: number; configFile?: string } = {},
): Promise<Finding[]> {
  const server = await readServer(db);
  if (!server.is_patroni) return [];
  const api = `http://${addressOf(server)}:${port}`;
  const [settings, node] = await Promise.all([ask(`${api}/config`), ask(`${api}/patroni`)]);
  return patroniFindings({
    standbys: server.standbys,
    settings,
    version: (node?.patroni as { version?: string } | undefined)?.version,
    usesEtcd3: usesEtcd3(configFile),
  });
}

interface Server {
  is_patroni: boolean;
  address: string | null;
  listen_addresses: string;
  standbys: number;
}

/** Patroni passes these settings on the server's command line, where other managers and Debian's scripts do not. */
const readServer = (db: Sql): Promise<Server> =>
  db.one<Server>(
    `select (select count(*) = 4 from pg_settings where source = 'command line'
         and name in ('cluster_name', 'hot_standby', 'track_commit_timestamp', 'wal_log_hints')) as is_patroni,
       host(inet_server_addr()) as address, current_setting('listen_addresses') as listen_addresses,
       (select count(*) from pg_stat_replication
         where application_name not like 'pg\\_%' and coalesce(state, 'streaming') = 'streaming') as standbys`,
  );

/** A pooler may connect through a socket, which has no address. */
function addressOf({ address, listen_addresses }: Server): string {
  const found = address ?? listen_addresses.split(',')[0]?.trim() ?? '';
  return found.includes(':') ? `[${found}]` : found;
}

async function ask(url: string): Promise<Record<string, unknown> | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return (await response.json()) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function usesEtcd3(configFile: string): boolean {
  try {
    return /^etcd3:/m.test(readFileSync(configFile, 'utf8'));
  } catch {
    return false;
  }
}

export function patroniFindings({ standbys, settings, version, usesEtcd3 }: PatroniFacts): Finding[] {
  const found = [...strictFindings(settings), ...standbyFindings(standbys)];
  if (usesEtcd3 && (version === undefined || isBefore(version, [3, 0, 3])))
    found.push(
      problem(
        NAME,
        `Patroni ${version ?? 'of unknown version'} uses etcd3: before 3.0.3, a healed network partition can lose acknowledged sends.`,
        'Use etcd instead of etcd3 in config.yml, with ETCD_ENABLE_V2=true, or upgrade Patroni.',
      ),
    );
  return found.length > 0
    ? found
    : [
        ok(
          NAME,
          `Patroni ${version ?? ''} runs the database in strict synchronous mode, and ${standbys} standbys stream.`,
        ),
      ];
}

function strictFindings(settings: PatroniFacts['settings']): Finding[] {
  if (settings === undefined)
    return [
      warning(
        NAME,
        'The REST API of Patroni did not respond, so its synchronous mode could not be checked.',
        'Allow this machine to connect to port 8008 of the nodes, or check patronictl show-config.',
      ),
    ];
  if (settings.synchronous_mode && settings.synchronous_mode_strict) return [];
  const name = settings.synchronous_mode ? 'synchronous_mode_strict' : 'synchronous_mode';
  return [
    problem(
      NAME,
      `${name} is off: a commit may be acknowledged while only one disk has it, and a failover can lose it.`,
      'Set synchronous_mode: true and synchronous_mode_strict: true with patronictl edit-config.',
    ),
  ];
}

function standbyFindings(standbys: number): Finding[] {
  const advice = 'See patronictl list, and docs/high-availability.md on how to replace a node.';
  if (standbys === 0)
    return [problem(NAME, 'No standby streams: in strict mode, every send waits and is refused.', advice)];
  if (standbys === 1)
    return [warning(NAME, 'Only one standby streams: if it fails, every send is refused.', advice)];
  return [];
}

function isBefore(version: string, other: readonly number[]): boolean {
  const parts = version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  const first = other.findIndex((part, n) => (parts[n] ?? 0) !== part);
  return first >= 0 && (parts[first] ?? 0) < (other[first] as number);
}
