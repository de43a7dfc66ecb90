import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../clock.ts';
import { Refusal, readIfAny } from '../file-problem.ts';
import { type SystemUser, serverEnvironment } from './embedded-programs.ts';

export type Postmaster = { process: ChildProcess; port: number };
export type ClusterOptions = {
  postgres: string;
  cluster: string;
  user: SystemUser;
  logFile: string;
  settings: Record<string, string>;
};

/**
 * The data directory argument for a PostgreSQL started inside the cluster's folder. An unprivileged user may own the folder but
 * be unable to traverse the path to it (a checkout below /root); a working directory inherited from root stays accessible.
 */
export const clusterArgument = (cluster: string, user: SystemUser) => (user ? '/proc/self/cwd' : cluster);

/** Starts PostgreSQL on 127.0.0.1, on the given port or a free one. Resolves when it accepts connections. */
export async function startPostmaster(options: ClusterOptions, fixedPort?: number): Promise<Postmaster> {
  for (let attempt = 1; ; attempt++) {
    const port = fixedPort ?? (await freePort());
    const logStart = fileSize(options.logFile);
    const child = spawnPostmaster(options, port);
    if (await becomesReady(child, options.cluster)) return { process: child, port };
    const reason = readFileSync(options.logFile, 'utf8').slice(logStart).trim();
    // Retry if another program has taken the port or processes of a killed PostgreSQL are still running.
    const mayPass = /could not create any TCP\/IP sockets|pre-existing shared memory block/.test(reason);
    if (!mayPass || attempt === 50)
      throw new Refusal(postgresProblem('PostgreSQL did not start', reason, options));
    await sleep(200);
  }
}

/** One sentence about the failure of a PostgreSQL program, whose output can have many lines. */
export function postgresProblem(
  what: string,
  output: string,
  { cluster, logFile }: { cluster: string; logFile?: string },
): string {
  if (/No space left on device|Disk quota exceeded/.test(output))
    return `The disk of ${cluster} is full: free space on it, and start again.`;
  const lines = output.split('\n').map((line) => line.trim());
  const found =
    lines.findLast((line) => /\b(?:FATAL|PANIC|ERROR):|^initdb: error:/i.test(line)) ?? lines.at(-1);
  const why = found?.replace(/^.*?\b(?:FATAL|PANIC|ERROR|error): +/, '').replace(/\.$/, '');
  const more = logFile ? ` ${logFile} has the details.` : '';
  return `${what} (${why || 'without a reason'}).${more} If files in ${cluster} are missing or damaged, restore a backup, or set DATA_DIR to another folder.`;
}

function spawnPostmaster(options: ClusterOptions, port: number): ChildProcess {
  const { postgres, cluster, user, logFile, settings } = options;
  const args = ['-D', clusterArgument(cluster, user)];
  for (const [name, value] of Object.entries({ ...settings, port: String(port) })) {
    args.push('-c', `${name}=${value}`);
  }
  const log = openSync(logFile, 'a', 0o600);
  try {
    // Runs in a separate process group, so that Ctrl-C reaches only the service, which drains before it stops the database.
    const child = spawn(postgres, args, {
      cwd: cluster,
      detached: true,
      env: serverEnvironment,
      stdio: ['ignore', log, log],
      ...user,
    });
    child.on('error', () => {});
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/** False if the process exited. There is no timeout, because crash recovery may take long. */
async function becomesReady(child: ChildProcess, cluster: string): Promise<boolean> {
  while (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    const written = readPidFile(cluster);
    if (written?.pid === child.pid && written.isReady) return true;
    await sleep(5);
  }
  return false;
}

/** The postmaster.pid file: pid in line 1, port in line 4, status in line 8. */
export function readPidFile(cluster: string): { pid: number; port: number; isReady: boolean } | undefined {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]), isReady: lines[7]?.trim() === 'ready' };
  } catch {
    return undefined;
  }
}

/**
 * Stops a PostgreSQL that outlived its service, and removes a leftover pid file. If another program has reused that pid,
 * PostgreSQL would take it for a running server and refuse to start.
 */
export async function endLeftOver(cluster: string): Promise<number | undefined> {
  const file = join(cluster, 'postmaster.pid');
  const text = readIfAny(file);
  if (text === undefined) return undefined;
  const written = Number.parseInt(text, 10);
  // A standalone PostgreSQL writes its pid with a minus sign.
  const pid = Number.isNaN(written) ? findPostmaster(cluster) : Math.abs(written);
  const wasRunning = pid !== undefined && isPostmasterOf(cluster, pid);
  if (wasRunning) await endProcess(pid, () => !isPostmasterOf(cluster, pid));
  rmSync(file, { force: true });
  return wasRunning ? pid : undefined;
}

/**
 * Finds the running PostgreSQL of a cluster whose pid file is empty or damaged. Otherwise a second PostgreSQL would start on
 * the same files.
 */
function findPostmaster(cluster: string): number | undefined {
  const servers = postgresProcesses().filter(({ pid }) => isPostmasterOf(cluster, pid));
  return servers.find(({ parent }) => !servers.some(({ pid }) => pid === parent))?.pid;
}

function postgresProcesses(): { pid: number; parent: number }[] {
  const lines =
    process.platform === 'linux'
      ? readdirSync('/proc')
          .filter((name) => /^\d+$/.test(name))
          .map((pid) => /^\d+ \(postgres\) \S (\d+)/.exec(textOf(`/proc/${pid}/stat`))?.[0] ?? '')
          .map((stat) => stat.replace(/^(\d+) .* (\d+)$/, '$1 $2 postgres'))
      : execFileSync('ps', ['-Ao', 'pid=,ppid=,comm='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [, pid, parent] = /^ *(\d+) +(\d+) +(?:.*\/)?postgres/.exec(line) ?? [];
    return pid ? [{ pid: Number(pid), parent: Number(parent) }] : [];
  });
}

/** The text of a file below /proc. Empty if the process has ended. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function isPostmasterOf(cluster: string, pid: number): boolean {
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).includes(cluster);
  } catch {
    return false;
  }
}

/** Stops an embedded PostgreSQL with a fast shutdown, which cuts open connections, and escalates if it does not exit. */
export async function stopPostmaster({ process: child }: Postmaster): Promise<void> {
  child.ref();
  const { pid } = child;
  if (pid !== undefined) await endProcess(pid, () => child.exitCode !== null || child.signalCode !== null);
}

async function endProcess(pid: number, hasEnded: () => boolean): Promise<void> {
  for (const [signal, patienceMs] of [
    ['SIGINT', 30_000],
    ['SIGQUIT', 10_000],
    ['SIGKILL', 10_000],
  ] as const) {
    if (hasEnded()) return;
    sendSignal(pid, signal);
    for (const until = monotonicMs() + patienceMs; monotonicMs() < until && !hasEnded(); ) await sleep(5);
  }
  if (!hasEnded()) throw new Refusal(`PostgreSQL (pid ${pid}) could not be stopped.`);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (typeof address === 'object' && address ? resolve(address.port) : reject()));
    });
  });
}

function fileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
