import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chownSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { connectionOf } from '../../server/src/platform/db/tls.ts';

/**
 * A primary and its standbys on this machine: Debian's PostgreSQL with streaming replication. A commit waits until one standby
 * has written it to disk. All nodes have the same settings, so any of them can be the primary.
 */
export const PASSWORD = 'only-on-this-machine';
const PROGRAMS = '/usr/lib/postgresql';

/** PostgreSQL and PgBouncer refuse to run as root. */
export const account = ((): { uid: number; gid: number } | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const [, , uid, gid] = execFileSync('getent', ['passwd', 'postgres'], { encoding: 'utf8' }).split(':');
  return { uid: Number(uid), gid: Number(gid) };
})();

export function own(path: string): void {
  if (account) chownSync(path, account.uid, account.gid);
}

export class Node {
  readonly name: string;
  readonly port: number;
  readonly #names: readonly string[];
  readonly #settings: Record<string, string>;
  readonly #folder: string;
  #process: ChildProcess | undefined;

  constructor(
    folder: string,
    name: string,
    {
      port,
      names = [],
      settings = {},
    }: { port: number; names?: readonly string[]; settings?: Record<string, string> },
  ) {
    this.name = name;
    this.#settings = settings;
    this.port = port;
    this.#names = names;
    this.#folder = join(folder, name);
  }

  get url(): string {
    return `postgres://sixdigit:${PASSWORD}@127.0.0.1:${this.port}/sixdigit`;
  }

  /** Creates the first primary. Its commits do not wait for a standby until `configure` is called again. */
  async create(): Promise<void> {
    const password = `${this.#folder}.password`;
    writeFileSync(password, PASSWORD);
    own(password);
    const how = ['-U', 'sixdigit', '-A', 'scram-sha-256', `--pwfile=${password}`, '-E', 'UTF8', '--locale=C'];
    program('initdb', ['-D', this.#folder, ...how]);
    writeFileSync(
      join(this.#folder, 'pg_hba.conf'),
      'host all sixdigit 127.0.0.1/32 scram-sha-256\nhost replication replicator 127.0.0.1/32 scram-sha-256\n',
    );
    this.configure({ waits: false });
    await this.start('postgres');
    await ask(this.#urlOf('postgres'), 'create database sixdigit');
    await ask(this.url, `create role replicator replication login password '${PASSWORD}'`);
  }

  /** Makes this node a fresh standby of the primary. */
  async follow(primary: Node): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true });
    program('pg_basebackup', ['-D', this.#folder, '-c', 'fast', '-d', primary.#sourceFor(this)]);
    writeFileSync(join(this.#folder, 'standby.signal'), '');
    own(join(this.#folder, 'standby.signal'));
    this.configure({ primary });
    await this.start();
  }

  /** Follows another primary without a restart. */
  async followNow(primary: Node): Promise<void> {
    this.configure({ primary });
    await this.reload();
  }

  configure({ primary, waits = true }: { primary?: Node; waits?: boolean }): void {
    const settings: Record<string, string | number> = {
      cluster_name: this.name,
      listen_addresses: '127.0.0.1',
      port: this.port,
      unix_socket_directories: '',
      max_connections: 100,
      max_locks_per_transaction: 256,
      shared_buffers: '64MB',
      wal_keep_size: '512MB',
      wal_sender_timeout: '5s',
      wal_receiver_timeout: '5s',
      wal_retrieve_retry_interval: '500ms',
      client_connection_check_interval: '5s',
      log_line_prefix: '%m [%p] ',
      recovery_target_timeline: 'latest',
      synchronous_commit: 'on',
      synchronous_standby_names: waits ? `ANY 1 (${this.#names.join(', ')})` : '',
      primary_conninfo: primary ? primary.#sourceFor(this) : '',
      ...this.#settings,
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
    writeFileSync(join(this.#folder, 'postgresql.conf'), lines.join(''));
  }

  async start(database = 'sixdigit'): Promise<void> {
    const child = spawn(programPath('postgres'), ['-D', this.#folder], {
      ...account,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr?.pipe(createWriteStream(`${this.#folder}.log`, { flags: 'a' }));
    this.#process = child;
    for (let tries = 0; ; tries++) {
      try {
        await ask(this.#urlOf(database), 'select 1');
        return;
      } catch (error) {
        if (tries > 150 || child.exitCode !== null)
          throw new Error(`${this.name} does not start: ${this.#logEnd()}`, { cause: error });
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  }

  reload = (): Promise<unknown> => ask(this.url, 'select pg_reload_conf()');

  /** WAL position in bytes, once the standby has received and replayed everything. */
  async position(): Promise<number> {
    for (let before = -1; ; ) {
      const now = await this.#position();
      if (now === before) return now;
      before = now;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }

  async #position(): Promise<number> {
    const [row] = await ask<{ bytes: string }>(
      this.url,
      `select greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0'::pg_lsn as bytes`,
    );
    return Number(row?.bytes ?? 0);
  }

  promote = (): Promise<unknown> => ask(this.url, 'select pg_promote(true, 30)');

  /** Number of synchronous standbys that stream from this node. */
  async standbys(): Promise<number> {
    const all = `select 1 from pg_stat_replication where state = 'streaming' and sync_state in ('sync', 'quorum')`;
    return (await ask(this.url, all).catch(() => [])).length;
  }

  /** Signals all processes of the node, as when its machine fails or hangs. */
  signal(signal: NodeJS.Signals): void {
    const pid = this.#process?.pid;
    if (pid === undefined) return;
    const children = `/proc/${pid}/task/${pid}/children`;
    const all = existsSync(children) ? readFileSync(children, 'utf8').trim().split(' ').map(Number) : [];
    for (const one of [pid, ...all].filter((some) => some > 0)) {
      try {
        process.kill(one, signal);
      } catch {}
    }
  }

  async stop(signal: 'SIGINT' | 'SIGKILL' = 'SIGINT'): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    if (signal === 'SIGKILL') this.signal('SIGKILL');
    else child.kill(signal);
    await gone;
  }

  #urlOf(database: string): string {
    return this.url.replace(/sixdigit$/, database);
  }

  #sourceFor(standby: Node): string {
    return `host=127.0.0.1 port=${this.port} user=replicator password=${PASSWORD} application_name=${standby.name} keepalives_idle=5 keepalives_interval=2 keepalives_count=3`;
  }

  #logEnd(): string {
    return existsSync(`${this.#folder}.log`) ? readFileSync(`${this.#folder}.log`, 'utf8').slice(-800) : '';
  }
}

/** Starts one primary with two streaming standbys and an empty database. */
export async function startCluster(folder: string, ports: readonly number[]): Promise<Node[]> {
  mkdirSync(folder, { recursive: true });
  own(folder);
  const names = ports.map((_, n) => `node${n + 1}`);
  const nodes = ports.map((port, n) => new Node(folder, names[n] as string, { port, names }));
  const [primary, ...others] = nodes as [Node, ...Node[]];
  await primary.create();
  for (const standby of others) await standby.follow(primary);
  primary.configure({});
  await primary.reload();
  return nodes;
}

/** The path of a program in the newest installed version. */
function programPath(name: string): string {
  const versions = readdirSync(PROGRAMS).map(Number).filter(Number.isInteger);
  return join(PROGRAMS, String(Math.max(...versions)), 'bin', name);
}

const program = (name: string, args: readonly string[]): string =>
  execFileSync(programPath(name), args, { ...account, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Runs one query on a new connection, directly to the server. */
export async function ask<T = object>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client({
    ...connectionOf(url),
    connectionTimeoutMillis: 2_000,
    query_timeout: 35_000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(text)).rows as T[];
  } finally {
    await client.end().catch(() => {});
  }
}
