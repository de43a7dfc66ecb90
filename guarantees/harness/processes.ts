import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../../server/src/platform/db/embedded.ts';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import { type Db, openDb } from '../../server/src/platform/db/sql.ts';
import { createLog } from '../../server/src/platform/log.ts';
import { HttpCarrierFake } from '../../server/test/fakes/http-carrier.ts';

export interface Database {
  url: string;
  db: Db;
  dataDir: string;
}

/** Starts a new embedded database with the current schema. */
export async function startDatabase(
  cleanup: AsyncDisposableStack,
  { dataDir = '', settings = {} }: { dataDir?: string; settings?: Record<string, string> } = {},
): Promise<Database> {
  const folder = dataDir || mkdtempSync(join(tmpdir(), 'sixdigit-run-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  const log = createLog('fatal');
  const { url, stop } = await startEmbedded({ dataDir: folder, log, superuser: true, settings });
  cleanup.defer(stop);
  await migrate(url);
  const db = openDb({ url, log, max: 4 });
  cleanup.defer(() => db.close());
  return { url, db, dataDir: folder };
}

export async function startCarrier(cleanup: AsyncDisposableStack): Promise<HttpCarrierFake> {
  const carrier = await new HttpCarrierFake({}).start();
  cleanup.defer(() => carrier.close());
  return carrier;
}

/** The server key for every run that does not test the key itself. */
export const SECRET_KEY = 'server key of the measuring runs';

/** Starts APIs and workers that dispatch to an HTTP carrier. */
export async function startService(
  cleanup: AsyncDisposableStack,
  { url, carrier, apis = 2, workers = 2, firstPort = FIRST_PORT, env = {} }: ServiceOptions,
): Promise<Fleet> {
  const fleet = await startFleet(
    { apis, workers, firstPort },
    {
      DATABASE_URL: url,
      SECRET_KEY,
      PUBLIC_URL: `http://127.0.0.1:${firstPort}`,
      HTTP_CARRIER_URL: carrier.url,
      HTTP_CARRIER_SECRET: carrier.secret,
      LOG_LEVEL: 'warn',
      ...env,
    },
  );
  cleanup.defer(() => fleet.stop());
  return fleet;
}

interface ServiceOptions {
  /** the database's URL */
  url: string;
  carrier: { url: string; secret: string };
  apis?: number | undefined;
  workers?: number | undefined;
  firstPort?: number;
  env?: Record<string, string> | undefined;
}

/** A process of the service that restarts after it ends, as under a supervisor. */
export interface Member {
  readonly role: 'api' | 'worker';
  readonly port: number;
  /** number of starts so far */
  readonly starts: number;
  /** resident memory in bytes */
  memory(): number;
  kill(signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): void;
  /** Resolves when the current process ends, with its exit code, or null after a signal. */
  ended(): Promise<number | null>;
}

export interface Fleet {
  apis: Member[];
  workers: Member[];
  /** logged warnings and errors, counted by text */
  problems: Map<string, number>;
  stop(): Promise<void>;
}

/** The same options as `scripts/run.mjs`. */
export const NODE_OPTIONS: readonly string[] = ['--max-semi-space-size=16', '--heap-growing-percent=50'];
/** As under `npm start`. */
export const COMPILE_CACHE = join(import.meta.dirname, '../../.cache/node-compile');
const MAIN = join(import.meta.dirname, '../../server/src/main.ts');

/** Below the range that Linux uses for outgoing connections. */
const FIRST_PORT = 31_100;

export async function startFleet(
  { apis, workers, firstPort = FIRST_PORT }: { apis: number; workers: number; firstPort?: number },
  env: Record<string, string>,
): Promise<Fleet> {
  let stopping = false;
  const problems = new Map<string, number>();
  const children = new Set<ChildProcess>();

  const listen = (child: ChildProcess) => {
    const note = (chunk: Buffer) => {
      for (const line of chunk.toString().split('\n')) {
        const found = /"level":"(warn|error|fatal)".*"msg":"([^"]*)"/.exec(line);
        if (found)
          problems.set(`${found[1]}: ${found[2]}`, (problems.get(`${found[1]}: ${found[2]}`) ?? 0) + 1);
        else if (/^\s*(\w*Error|node:internal)/.test(line))
          problems.set(line.slice(0, 120), (problems.get(line.slice(0, 120)) ?? 0) + 1);
      }
    };
    child.stdout?.on('data', note);
    child.stderr?.on('data', note);
  };

  const member = (role: 'api' | 'worker', port: number): Member => {
    let child: ChildProcess;
    let starts = 0;
    const start = () => {
      starts++;
      child = fork(MAIN, [role], {
        env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, ...env, PORT: String(port) },
        execArgv: [...NODE_OPTIONS],
        silent: true,
      });
      children.add(child);
      listen(child);
      child.once('exit', (code, signal) => {
        children.delete(child);
        if (stopping) return;
        const ending = `${role} ended: ${signal ?? code}`;
        problems.set(ending, (problems.get(ending) ?? 0) + 1);
        setTimeout(start, 100);
      });
    };
    start();
    return {
      role,
      port,
      get starts() {
        return starts;
      },
      memory: () => residentBytes(child.pid),
      kill: (signal) => void child.kill(signal),
      ended: () => new Promise((resolve) => child.once('exit', resolve)),
    };
  };

  const fleet: Fleet = {
    apis: Array.from({ length: apis }, (_, n) => member('api', firstPort + n)),
    workers: Array.from({ length: workers }, () => member('worker', 0)),
    problems,
    async stop() {
      stopping = true;
      const gone = [...children].map((child) => new Promise((resolve) => child.once('exit', resolve)));
      for (const child of children) child.kill('SIGTERM');
      await Promise.race([Promise.all(gone), new Promise((resolve) => setTimeout(resolve, 20_000))]);
      for (const child of children) child.kill('SIGKILL');
    },
  };
  await Promise.all(fleet.apis.map(({ port }) => untilReady(port)));
  return fleet;
}

function residentBytes(pid: number | undefined): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

export async function isReady(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2_000) });
    return answer.ok;
  } catch {
    return false;
  }
}

async function untilReady(port: number): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await isReady(port))) {
    if (Date.now() > end) throw new Error(`No service on port ${port}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
