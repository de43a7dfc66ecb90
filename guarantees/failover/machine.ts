import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Unit } from './unit.ts';

/**
 * A machine of the cluster: a network namespace with an address on a bridge, and a mount namespace with its own configuration and data.
 * The whole run has a process namespace, so all of it ends with the run (scripts/launch.mjs).
 */
const PRIVATE_FOLDERS: Record<string, string> = {
  '/etc/default': 'root',
  '/etc/haproxy': 'root',
  '/etc/patroni': 'root',
  '/etc/pgbouncer': 'root',
  '/etc/systemd/system': 'root',
  '/var/lib/etcd': 'etcd',
  '/var/lib/postgresql': 'postgres',
  '/var/log/postgresql': 'postgres',
};
const BRIDGE = 'bridge0';

export class Machine {
  readonly name: string;
  readonly address: string;
  readonly folder: string;
  /** the process whose namespaces are the machine's */
  readonly #pid: number;
  readonly #units = new Map<string, Unit>();

  private constructor(name: string, address: string, folder: string, pid: number) {
    this.name = name;
    this.address = address;
    this.folder = folder;
    this.#pid = pid;
    for (const [path, owner] of Object.entries(PRIVATE_FOLDERS)) {
      const own = join(folder, path);
      mkdirSync(own, { recursive: true });
      this.run(`chown ${owner} '${own}' && mount --bind '${own}' ${path}`);
    }
    this.#clearRuntimeFiles();
  }

  /** The machine of the service and of this process. It has the bridge that connects all machines. */
  static here(name: string, address: string, folder: string): Machine {
    const commands = `ip link set lo up; ip link add ${BRIDGE} type bridge; ip addr add ${address}/24 dev ${BRIDGE}; ip link set ${BRIDGE} up`;
    execFileSync('sh', ['-ec', commands]);
    return new Machine(name, address, folder, process.pid);
  }

  static async connected(name: string, address: string, folder: string): Promise<Machine> {
    const script = 'echo ready; exec sleep infinity';
    const holder = spawn('unshare', ['--net', '--mount', 'sh', '-c', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => holder.stdout.once('data', resolve));
    const pid = holder.pid as number;
    const commands = `ip link add ${name} type veth peer name eth0 netns ${pid}; ip link set ${name} master ${BRIDGE} up`;
    execFileSync('sh', ['-ec', commands]);
    const machine = new Machine(name, address, folder, pid);
    machine.run(`ip link set lo up; ip addr add ${address}/24 dev eth0; ip link set eth0 up`);
    return machine;
  }

  /** Runs a shell command on the machine as root. Returns its output. */
  run(command: string, env: Record<string, string> = {}): string {
    const [program, ...args] = this.inside(['sh', '-ec', command]);
    return execFileSync(program as string, args, {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /** The command line that runs a program on the machine. */
  inside = (command: readonly string[]): string[] => [
    ...['nsenter', '--target', String(this.#pid), '--net', '--mount', '--'],
    ...command,
  ];

  /** Starts a unit of systemd. */
  start(name: string): void {
    const unit = this.#units.get(name) ?? new Unit(this, name);
    this.#units.set(name, unit);
    unit.start();
  }

  /** Stops a unit. With SIGKILL, its processes get no chance to clean up. */
  async stop(name: string, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    await this.#units.get(name)?.stop(signal);
  }

  /** Kills every process at once, as a power failure does. */
  async powerOff(): Promise<void> {
    const stopped = [...this.#units.values()].map((unit) => unit.stop('SIGKILL'));
    this.signal('SIGKILL');
    await Promise.all(stopped);
    // Processes that were starting in that moment.
    this.signal('SIGKILL');
  }

  /** Boots with the disk as the power failure left it. */
  powerOn(): void {
    this.#clearRuntimeFiles();
    for (const unit of this.#units.values()) unit.start();
  }

  /** Removes configuration and data, as on a new machine. */
  eraseDisk(): void {
    for (const path of Object.keys(PRIVATE_FOLDERS)) this.run(`find ${path} -mindepth 1 -delete`);
  }

  /** Signals every process of these programs, or every process. Stopping all of them freezes the machine. */
  signal(signal: NodeJS.Signals, programs?: readonly string[]): void {
    for (const { pid, program } of this.#processes())
      if (!programs || programs.includes(program)) {
        try {
          process.kill(pid, signal);
        } catch {}
      }
  }

  /** Drops all packets between this machine and these machines at the same moment, until `reconnect`. */
  disconnectFrom(machines: readonly Machine[]): void {
    const routes = machines.map(({ address }) => `route add blackhole ${address}\n`).join('');
    this.run(`printf '${routes.replaceAll('\n', '\\n')}' | ip -batch -`);
  }

  /** Drops all packets between this machine and these ports of other machines, in both directions. */
  disconnectPorts(ports: readonly number[]): void {
    for (const port of ports)
      this.run(`ip rule add dport ${port} blackhole; ip rule add sport ${port} blackhole`);
  }

  reconnect(): void {
    this.run('ip route flush type blackhole; ip rule flush; ip rule add pref 32766 table main');
  }

  /** The end of a unit's log. */
  logEnd(unit: string): string {
    return readFileSync(join(this.folder, `${unit}.log`), 'utf8').slice(-2_000);
  }

  #clearRuntimeFiles(): void {
    this.run('umount /run 2> /dev/null || true; mount -t tmpfs tmpfs /run');
    this.run('install -d -o postgres -g postgres -m 2775 /run/postgresql');
    chmodSync(this.folder, 0o755);
  }

  #processes(): { pid: number; program: string }[] {
    const own = namespaceOf(this.#pid);
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && pid !== this.#pid && namespaceOf(pid) === own)
      .map((pid) => ({ pid, program: programOf(pid) }));
  }
}

function namespaceOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return undefined;
  }
}

function programOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}
