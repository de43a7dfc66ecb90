/** The cluster of deploy/patroni on four machines: three nodes, and one that runs the service behind HAProxy. */

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until, wait } from '../harness/run.ts';
import { ask } from './database-server.ts';
import { Machine } from './machine.ts';

const RECIPE = join(import.meta.dirname, '../../deploy/patroni');
const NODES = ['node1', 'node2', 'node3'] as const;
const PATRONI = 8008;

interface Member {
  name: string;
  role: string;
}

export class Cluster {
  readonly nodes: readonly Machine[];
  /** the machine of the service, whose network is this process's */
  readonly service: Machine;
  readonly #settings: string;
  readonly #passwords: { service: string; restApi: string };

  private constructor(nodes: readonly Machine[], service: Machine, settings: string) {
    this.nodes = nodes;
    this.service = service;
    this.#settings = settings;
    const value = (name: string) =>
      new RegExp(`^${name}=(.*)$`, 'm').exec(readFileSync(settings, 'utf8'))?.[1];
    this.#passwords = { service: value('SERVICE_PASSWORD') ?? '', restApi: value('RESTAPI_PASSWORD') ?? '' };
  }

  /** Follows docs/high-availability.md on empty machines. */
  static async start(folder: string): Promise<Cluster> {
    const settings = join(folder, 'cluster.env');
    writeFileSync(settings, filledIn(readFileSync(join(RECIPE, 'cluster.env'), 'utf8')));
    const address = (name: string) =>
      new RegExp(`^${name.toUpperCase()}=(.*)$`, 'm').exec(readFileSync(settings, 'utf8'))?.[1] as string;
    const folderOf = (name: string) => {
      mkdirSync(join(folder, name), { recursive: true });
      return join(folder, name);
    };
    const outside = address('NODE1').replace(/\d+$/, '9');
    const service = Machine.here('service', outside, folderOf('service'));
    const nodes = await Promise.all(
      NODES.map((name) => Machine.connected(name, address(name), folderOf(name))),
    );
    const cluster = new Cluster(nodes, service, settings);
    for (const machine of [...nodes, service]) cluster.configure(machine);
    for (const node of nodes) node.start('etcd');
    for (const node of nodes) node.start('pgbouncer');
    for (const node of nodes) node.start('patroni');
    service.start('haproxy');
    return cluster;
  }

  /** Writes the configuration of a machine. `how` is the script's second argument. */
  configure(machine: Machine, how: 'existing' | Machine['address'] | '' = ''): void {
    machine.run(`'${RECIPE}/configure.sh' ${machine.name} ${how}`, { SETTINGS: this.#settings });
  }

  /** Adds a further copy, which never becomes the primary. */
  async addCopy(): Promise<Machine> {
    const address = (this.nodes[0] as Machine).address.replace(/\d+$/, '4');
    const folder = join(this.service.folder, 'node4');
    mkdirSync(folder);
    const copy = await Machine.connected('node4', address, folder);
    this.configure(copy, address);
    copy.start('patroni');
    return copy;
  }

  async isStreaming({ name }: Machine): Promise<boolean> {
    const found = `select from pg_stat_replication where state = 'streaming' and application_name = '${name}'`;
    return (await ask(this.directUrl, found)).length === 1;
  }

  /** DATABASE_URL through PgBouncer. */
  get pooledUrl(): string {
    return this.#urlOf(6432);
  }

  /** DATABASE_URL without PgBouncer. */
  get directUrl(): string {
    return this.#urlOf(5000);
  }

  get standbyUrl(): string {
    return this.#urlOf(5001);
  }

  /** The node that Patroni runs as primary. */
  async primary(): Promise<Machine> {
    const states = await Promise.all(
      this.nodes.map(async (node) => (await patroniSays(node, '/primary')).ok),
    );
    const primary = this.nodes[states.indexOf(true)];
    if (!primary) throw new Error('No node is the primary');
    return primary;
  }

  async standbys(): Promise<Machine[]> {
    const primary = await this.primary();
    return this.nodes.filter((node) => node !== primary);
  }

  async synchronousStandby(): Promise<Machine> {
    const synchronous = (await this.#members()).find(({ role }) => role === 'sync_standby');
    const node = this.nodes.find(({ name }) => name === synchronous?.name);
    if (!node) throw new Error('No standby is synchronous');
    return node;
  }

  /** Waits until two standbys stream and a commit waits for one of them. Returns the milliseconds that it took. */
  async settled(): Promise<number> {
    const tookMs = await until(180_000, () => this.#isSettled());
    if (tookMs >= 180_000) throw new Error(`The cluster does not settle:\n${this.#logs()}`);
    // Patroni stores the synchronous standby in etcd in its next round.
    await wait(2_500);
    return tookMs;
  }

  async #isSettled(): Promise<boolean> {
    const states = await ask<{ sync_state: string }>(
      this.directUrl,
      `select sync_state from pg_stat_replication where state = 'streaming' and application_name in ('node1', 'node2', 'node3')`,
    );
    await this.synchronousStandby();
    return states.length === 2 && states.some(({ sync_state }) => sync_state === 'sync');
  }

  /** The standby with the most WAL, which has every acknowledged commit. */
  mostAdvanced(standbys: readonly Machine[]): Machine {
    const position = `select greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0'`;
    const bytes = standbys.map((node) =>
      Number(node.run(`runuser -u postgres -- psql -XqAt -d postgres -c "${position}"`)),
    );
    return standbys[bytes.indexOf(Math.max(...bytes))] as Machine;
  }

  /** Cancels the commits that wait for a standby, as an operator could. Returns their number. */
  cancelWaits(node: Machine): number {
    const cancel = `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`;
    const output = node.run(`runuser -u postgres -- timeout 5 psql -XqAt -d postgres -c "${cancel}"`);
    return output.split('\n').filter((line) => line === 't').length;
  }

  /** Runs patronictl on a node. */
  control = (node: Machine, command: string): string =>
    node.run(`patronictl -c /etc/patroni/config.yml ${command}`);

  /** Changes a setting of the whole cluster. */
  async reconfigure(change: object): Promise<void> {
    const { address } = await this.primary();
    const login = Buffer.from(`patroni:${this.#passwords.restApi}`).toString('base64');
    const response = await fetch(`http://${address}:${PATRONI}/config`, {
      method: 'PATCH',
      headers: { authorization: `Basic ${login}` },
      body: JSON.stringify(change),
    });
    if (!response.ok) throw new Error(`Patroni refuses the change: ${response.status}`);
  }

  async #members(): Promise<Member[]> {
    const response = await patroniSays(await this.primary(), '/cluster');
    return ((await response.json()) as { members: Member[] }).members;
  }

  #urlOf(port: number): string {
    return `postgres://sixdigit:${this.#passwords.service}@127.0.0.1:${port}/sixdigit?sslmode=require`;
  }

  #logs(): string {
    return this.nodes.map((node) => `${node.name}: ${node.logEnd('patroni')}`).join('\n');
  }
}

const patroniSays = (node: Machine, path: string): Promise<Response> =>
  fetch(`http://${node.address}:${PATRONI}${path}`, { signal: AbortSignal.timeout(1_500) }).catch(
    () => new Response(null, { status: 503 }),
  );

/** The example of the settings with passwords, this machine's PostgreSQL, and little memory. */
function filledIn(example: string): string {
  const versions = readdirSync('/usr/lib/postgresql').map(Number).filter(Number.isInteger);
  return example
    .replaceAll(/^(\w+_PASSWORD)=$/gm, (_, name: string) => `${name}=${randomBytes(12).toString('hex')}`)
    .replace(/^POSTGRESQL=.*$/m, `POSTGRESQL=${Math.max(...versions)}`)
    .replace(/^SHARED_BUFFERS=.*$/m, 'SHARED_BUFFERS=64MB');
}

/** The versions of the programs, for the report. */
export const versionsOf = (): string =>
  execFileSync('dpkg-query', ['-W', 'postgresql', 'patroni', 'etcd-server', 'haproxy', 'pgbouncer'], {
    encoding: 'utf8',
  })
    .trim()
    .replaceAll('\t', ' ')
    .replaceAll('\n', ', ');
