import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, createWriteStream, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { connectionOf } from '../../server/src/platform/db/tls.ts';

/** Debian's PostgreSQL servers on this machine. */
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

export class DatabaseServer {
  readonly name: string;
  readonly port: number;
  readonly #settings: Record<string, string>;
  readonly #folder: string;
  #process: ChildProcess | undefined;

  constructor(
    folder: string,
    name: string,
    { port, settings = {} }: { port: number; settings?: Record<string, string> },
  ) {
    this.name = name;
    this.#settings = settings;
    this.port = port;
    this.#folder = join(folder, name);
  }

  get url(): string {
    return `postgres://sixdigit:${PASSWORD}@127.0.0.1:${this.port}/sixdigit`;
  }

  /** Creates the server with an empty database, and starts it. */
  async create(): Promise<void> {
    const password = `${this.#folder}.password`;
    writeFileSync(password, PASSWORD);
    own(password);
    const how = ['-U', 'sixdigit', '-A', 'scram-sha-256', `--pwfile=${password}`, '-E', 'UTF8', '--locale=C'];
    program('initdb', ['-D', this.#folder, ...how]);
    writeFileSync(join(this.#folder, 'pg_hba.conf'), 'host all sixdigit 127.0.0.1/32 scram-sha-256\n');
    this.#configure();
    await this.start('postgres');
    await ask(this.#urlOf('postgres'), 'create database sixdigit');
  }

  #configure(): void {
    const settings: Record<string, string | number> = {
      cluster_name: this.name,
      listen_addresses: '127.0.0.1',
      port: this.port,
      unix_socket_directories: '',
      max_connections: 100,
      max_locks_per_transaction: 256,
      shared_buffers: '64MB',
      log_line_prefix: '%m [%p] ',
      synchronous_commit: 'on',
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

  #logEnd(): string {
    return existsSync(`${this.#folder}.log`) ? readFileSync(`${this.#folder}.log`, 'utf8').slice(-800) : '';
  }
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
