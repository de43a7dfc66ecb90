import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { account, ask, type Node, own, PASSWORD } from './cluster.ts';

/** Debian's PgBouncer in transaction mode in front of the current primary. */
export class Pooler {
  readonly #folder: string;
  readonly #port: number;
  #process: ChildProcess | undefined;

  constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  /** The path of its configuration. */
  get file(): string {
    return join(this.#folder, 'pgbouncer.ini');
  }

  get url(): string {
    return `postgres://sixdigit:${PASSWORD}@127.0.0.1:${this.#port}/sixdigit`;
  }

  async start(primary: Node): Promise<void> {
    mkdirSync(this.#folder, { recursive: true });
    this.#write('userlist.txt', `"sixdigit" "${PASSWORD}"\n`);
    this.#configure(primary);
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

  /** Switches to another primary and closes all connections to the previous one. */
  async pointTo(primary: Node): Promise<void> {
    this.#configure(primary);
    await this.tell('RELOAD');
    await this.tell('KILL sixdigit');
    await this.tell('RESUME sixdigit');
  }

  tell = <T = object>(command: string): Promise<T[]> =>
    ask<T>(this.url.replace(/sixdigit$/, 'pgbouncer'), command);

  stop(): void {
    this.#process?.kill('SIGKILL');
  }

  #configure(primary: Node): void {
    this.#write(
      'pgbouncer.ini',
      `[databases]
sixdigit = host=127.0.0.1 port=${primary.port} dbname=sixdigit

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
