import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import type { HttpCarrierFake } from '../../server/test/fakes/http-carrier.ts';
import { type Account, fillAccounts } from '../harness/accounts.ts';
import { type Fleet, startCarrier, startService } from '../harness/processes.ts';
import { type Recorder, startRecorder, verifyArrivals } from '../harness/recorder.ts';
import { account, ask, type DatabaseServer, own, PASSWORD } from './database-server.ts';

/** APIs and workers behind PgBouncer, under steady sends and verifies. */
export interface PooledService {
  pooler: Pooler;
  carrier: HttpCarrierFake;
  fleet: Fleet;
  /** ports of the APIs */
  ports: number[];
  people: readonly Account[];
  recorder: Recorder;
  /** Stops sends and verifies, and waits for outstanding responses. */
  stopLoad(): Promise<void>;
}

/** A folder that PostgreSQL and PgBouncer may write to. */
export function serverFolder(cleanup: AsyncDisposableStack): string {
  const folder = mkdtempSync(join(tmpdir(), 'sixdigit-servers-'));
  own(folder);
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function startPooledService(
  cleanup: AsyncDisposableStack,
  options: {
    folder: string;
    server: DatabaseServer;
    poolerPort: number;
    firstPort: number;
    perSecond: number;
  },
): Promise<PooledService> {
  const { folder, server, poolerPort, firstPort, perSecond } = options;
  const pooler = new Pooler(join(folder, 'pooler'), poolerPort);
  await pooler.start(server);
  cleanup.defer(() => pooler.stop());
  await migrate(pooler.url);
  const people = await fillAccounts(server.url, { accounts: 40, keysEach: 1 });
  const carrier = await startCarrier(cleanup);
  const fleet = await startService(cleanup, { url: pooler.url, carrier, firstPort });
  const ports = fleet.apis.map(({ port }) => port);
  const stop = new AbortController();
  const { recorder, done } = startRecorder(ports, people, perSecond, stop.signal);
  const verifying = verifyArrivals(carrier, { recorder, ports, stop: stop.signal });
  const stopLoad = async () => {
    stop.abort();
    await Promise.all([done, verifying]);
  };
  cleanup.defer(stopLoad);
  return { pooler, carrier, fleet, ports, people, recorder, stopLoad };
}

/** Debian's PgBouncer in transaction mode in front of a server. */
export class Pooler {
  readonly #folder: string;
  readonly #port: number;
  #process: ChildProcess | undefined;

  constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  /** Path of the configuration. */
  get file(): string {
    return join(this.#folder, 'pgbouncer.ini');
  }

  get url(): string {
    return `postgres://sixdigit:${PASSWORD}@127.0.0.1:${this.#port}/sixdigit`;
  }

  async start(server: DatabaseServer): Promise<void> {
    mkdirSync(this.#folder, { recursive: true });
    this.#write('userlist.txt', `"sixdigit" "${PASSWORD}"\n`);
    this.#configure(server);
    const child = spawn('/usr/sbin/pgbouncer', [this.file], {
      ...account,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr?.pipe(createWriteStream(join(this.#folder, 'pgbouncer.log')));
    this.#process = child;
    for (let tries = 0; ; tries++) {
      try {
        await this.tell('SHOW VERSION');
        return;
      } catch (error) {
        if (tries > 50) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  tell = <T = object>(command: string): Promise<T[]> =>
    ask<T>(this.url.replace(/sixdigit$/, 'pgbouncer'), command);

  stop(): void {
    this.#process?.kill('SIGKILL');
  }

  #configure(server: DatabaseServer): void {
    this.#write(
      'pgbouncer.ini',
      `[databases]
sixdigit = host=127.0.0.1 port=${server.port} dbname=sixdigit

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${this.#port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(this.#folder, 'userlist.txt')}
admin_users = sixdigit
pool_mode = transaction
default_pool_size = 40
max_client_conn = 1000
query_wait_timeout = 5
server_connect_timeout = 3
server_login_retry = 1
tcp_keepidle = 5
tcp_keepintvl = 2
tcp_keepcnt = 3
`,
    );
  }

  #write(name: string, text: string): void {
    const path = join(this.#folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    own(path);
  }
}
