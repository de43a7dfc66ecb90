import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHANNELS } from '#contract/channels.ts';
import { type App, allJobs, createApi, createApp } from './app.ts';
import { backupCommand } from './commands/backup/backup.ts';
import { createDemoAccount, type DemoAccount, demoCommand, demoLines } from './commands/demo/demo.ts';
import { doctorCommand, examine } from './commands/doctor/doctor.ts';
import { eraseCommand } from './commands/erase/erase.ts';
import { operatorCommand } from './commands/operator/operator.ts';
import { seedCommand } from './commands/seed/seed.ts';
import { systemClock } from './platform/clock.ts';
import { apiBase, type Config } from './platform/config.ts';
import { startConnectionWatchdog } from './platform/db/connection-watchdog.ts';
import { startEmbedded } from './platform/db/embedded.ts';
import { migrate } from './platform/db/migrate.ts';
import { type Db, isDatabaseUnavailable, openDb, RESERVED_CONNECTIONS } from './platform/db/sql.ts';
import { databaseStartProblem, dataDirProblem } from './platform/db/start-problem.ts';
import { settleTls } from './platform/db/tls.ts';
import { listenOnIpv6Loopback } from './platform/http/ipv6-loopback.ts';
import type { Server } from './platform/http/serve.ts';
import { createLog, type Logger, readableLines } from './platform/log.ts';
import { noPlaces, openPlaces, type PlaceOf } from './platform/places.ts';
import type { Platform } from './platform/platform.ts';
import { startWork } from './platform/queue/work.ts';
import { systemRandom } from './platform/random.ts';
import { Refusal } from './platform/refusal.ts';
import { rememberKey } from './platform/secret-key.ts';
import { createVault } from './platform/vault.ts';
import { createWakeups } from './platform/wakeups.ts';
import { prepareMonths } from './retention/retention.ts';
import { preparePasskeys } from './second-factors/second-factors.ts';
import { ConfigProblems, readConfig } from './settings/settings.ts';

/**
 * The entry point: `main.ts [api | worker | migrate | seed | erase <recipient> | operator … | backup <folder> | doctor | demo]`. Without an
 * argument it runs API, worker and dashboard in one process.
 */
const TASKS = [
  'all',
  'api',
  'worker',
  'migrate',
  'seed',
  'erase',
  'operator',
  'backup',
  'doctor',
  'demo',
] as const;
type Task = (typeof TASKS)[number];

async function main(): Promise<number> {
  const [word = 'all', ...rest] = process.argv.slice(2);
  if (!TASKS.includes(word as Task)) {
    console.error(
      `Unknown command "${word}". Use one of: ${TASKS.slice(1).join(', ')}, or none to start the service.`,
    );
    return 2;
  }
  const task = word as Task;
  if (task === 'doctor') return await doctorCommand(process.env, (line) => console.log(line));
  const config = readConfig(process.env);
  const log = createLog(config.logLevel, process.stdout.isTTY ? await readableLines() : undefined);
  if (task === 'backup') return await backupCommand(config, log, rest, (line) => console.log(line));
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => resolve());
    // `npm start` holds the other end of this channel. If it is killed, the service must stop too.
    process.once('disconnect', resolve);
    process.channel?.unref();
  });

  await using cleanup = new AsyncDisposableStack();
  const random = systemRandom(systemClock);
  config.secretKey ??= await inDataDir(config, () => sandboxKey(config.dataDir, random.token()));
  const vault = createVault(config.secretKey, config.previousSecretKeys, random);
  const placeOf = await places(config);
  const databaseUrl = await database(config, log, cleanup, task === 'all' || task === 'api');

  if (task === 'all' || task === 'api' || task === 'migrate' || !config.databaseUrl) {
    const direct = config.migrateDatabaseUrl && (await settleTls(config.migrateDatabaseUrl));
    const ran = await migrate(direct ?? databaseUrl);
    const [migrations, functions] = [ran.migrations.length, ran.functions.length];
    if (migrations + functions > 0) {
      log.info({ migrations, functions }, 'database migrated');
      log.debug(ran, 'ran');
    }
  }
  if (task === 'migrate') {
    console.log('The database is up to date.');
    return 0;
  }
  const db = openDb({
    url: databaseUrl,
    log,
    reserved: RESERVED_CONNECTIONS,
    applicationName: `sixdigit ${task}`,
  });
  cleanup.defer(() => db.close());
  await rememberKey(db, vault);

  const platform: Platform = {
    config,
    db,
    clock: systemClock,
    random,
    log,
    vault,
    placeOf,
    wakeups: createWakeups(),
  };
  const app = createApp(platform, (line) => console.log(line));
  cleanup.defer(() => app.carriers.close());
  if (task === 'erase' || task === 'seed' || task === 'operator') return await runTask(task, app, rest);
  if (task === 'demo') {
    config.publicUrl ??= localUrl(config.host === IPV4_LOOPBACK ? 'localhost' : config.host, config.port);
    return await demoCommand(app, (line) => console.log(line));
  }
  const watching = startConnectionWatchdog(app, databaseUrl);
  cleanup.defer(() => watching.stop());
  await serve(app, task, stopped);
  return 0;
}

/** Runs the parts of the task until a signal, then drains them: first the API, then the worker. */
async function serve(app: App, task: Task, stopped: Promise<void>): Promise<void> {
  const { config, log } = app;
  await prepareMonths(app);
  if (task !== 'worker') await preparePasskeys();
  await app.live.refresh();
  let isStopping = false;
  const server =
    task === 'worker'
      ? undefined
      : await createApi(app, {
          works: task === 'all',
          isStopping: () => isStopping,
          examine: () => examine(process.env),
        });
  const port = server ? await listen(server, config) : config.port;
  const isLocal = server !== undefined && !config.publicUrl && config.host === IPV4_LOOPBACK;
  const ipv6 = isLocal ? await listenOnIpv6Loopback(server.server, port) : undefined;
  // Browsers have passkeys at `localhost`, but not at 127.0.0.1.
  config.publicUrl ??= localUrl(ipv6?.isTaken === false ? 'localhost' : config.host, port);
  const working = task === 'api' ? undefined : await startWork(app, allJobs(app), task);
  if (server) announce(app, task === 'all' ? await createDemoAccount(app) : undefined);
  else log.info('worker started');
  await stopped;
  log.info('stopping');
  isStopping = true;
  // Gives load balancers time to notice the failing readiness check, and keep-alive connections a last response that closes
  // them.
  if (server) await app.clock.sleep(Math.max(config.stopDelaySeconds * 1_000, GOODBYE_MS));
  ipv6?.close();
  if (server) await drain(server);
  await app.otp.idle();
  await app.requestLog.close();
  // Work still in flight is taken over by other workers when this process has exited.
  await Promise.race([working?.stop(), app.clock.sleep(WORK_MS)]);
  log.info('stopped');
}

const GOODBYE_MS = 1_000;
const ANSWERS_MS = 10_000;
const WORK_MS = 12_000;
/** How often idle connections are closed during a stop. */
const CLOSE_IDLE_EVERY_MS = 100;

/** Stops accepting connections, responds to pending requests, and closes keep-alive connections. */
async function drain(server: Server): Promise<void> {
  // Close the listener right after the event loop has accepted pending connections, because closing it resets those in the
  // queue.
  await new Promise((resolve) => setImmediate(resolve));
  server.server.close();
  const closed = server.close();
  const closeIdle = setInterval(() => server.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  const giveUp = setTimeout(() => server.server.closeAllConnections(), ANSWERS_MS);
  await closed;
  clearInterval(closeIdle);
  clearTimeout(giveUp);
}

const IPV4_LOOPBACK = '127.0.0.1';

const localUrl = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

async function listen(server: Awaited<ReturnType<typeof createApi>>, config: Config): Promise<number> {
  try {
    await server.listen({ port: config.port, host: config.host });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new ConfigProblems([`PORT ${config.port} is in use on ${config.host}; set PORT to a free one`]);
    if (code === 'EACCES') throw new ConfigProblems([`PORT ${config.port} may not be used by this user`]);
    if (['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EAI_AGAIN', 'EINVAL', 'ENOTFOUND'].includes(code ?? ''))
      throw new ConfigProblems([`HOST ${config.host} is no address of this machine`]);
    throw error;
  }
  const address = server.server.address();
  return typeof address === 'object' && address ? address.port : config.port;
}

async function database(
  config: Config,
  log: Logger,
  cleanup: AsyncDisposableStack,
  owns: boolean,
): Promise<string> {
  if (config.databaseUrl) return await settleTls(config.databaseUrl);
  // The service owns the embedded PostgreSQL. A worker or a task joins the running one.
  const embedded = await inDataDir(config, ({ dataDir }) => startEmbedded({ dataDir, log, join: !owns }));
  cleanup.defer(() => embedded.stop());
  return embedded.url;
}

/** Runs work that writes to the data folder, and reports an unwritable folder in a sentence. */
async function inDataDir<T>(config: Config, work: (config: Config) => T | Promise<T>): Promise<T> {
  try {
    return await work(config);
  } catch (error) {
    const problem = dataDirProblem(error, config.dataDir);
    throw problem ? new Refusal(problem, { cause: error }) : error;
  }
}

async function places({ geoipDatabase: file }: Config): Promise<PlaceOf> {
  if (!file) return noPlaces;
  return openPlaces(file).catch((error: Error) => {
    throw new Refusal(
      `GEOIP_DATABASE ${file} cannot be read (${error.message}): name a database of places in MaxMind's format (.mmdb), or remove the setting.`,
      { cause: error },
    );
  });
}

/** A sandbox generates its server key once. */
function sandboxKey(dataDir: string, fresh: string): string {
  const file = join(dataDir, 'secret-key');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(file, `${fresh}\n`, { mode: 0o600, flag: 'wx' });
  chmodSync(file, 0o600);
  return fresh;
}

function runTask(task: 'erase' | 'seed' | 'operator', app: App, rest: readonly string[]): Promise<number> {
  const print = (line: string) => console.log(line);
  const run = { erase: eraseCommand, seed: seedCommand, operator: operatorCommand }[task];
  return run(app, rest, print);
}

/** Prints the address, what is simulated, and an example call. */
function announce(app: App, demo: DemoAccount | undefined): void {
  const { config, carriers } = app;
  const url = config.publicUrl ?? '';
  const simulated = CHANNELS.filter((channel) => carriers.isSimulated(channel));
  const lines = [`${config.brandName} is running at ${url}`];
  if (config.sandbox) {
    const what = [
      ...(simulated.length > 0 ? [`${simulated.join(', ')} messages go to ${url}/sandbox`] : []),
      ...(config.stripe ? [] : ['cards are test cards']),
    ];
    if (what.length > 0) lines.push(`Sandbox: ${what.join('; ')}.`);
  }
  lines.push('');
  if (demo) lines.push(...demoLines(app, demo));
  else
    lines.push(
      `Sign up at ${url}/sign-up, create an API key, then:`,
      '',
      `curl -X POST ${apiBase(config)}/otp/send/ -H "X-API-Key: $API_KEY" -H "Content-Type: application/json" \\`,
      `  -d '{"channel": "sms", "recipient": "+14155552671"}'`,
      '',
    );
  console.log(lines.join('\n'));
}

export type { Db };

main().then(
  (code) => {
    process.exitCode = code;
    // Pending handles must not hold up a drained process.
    setTimeout(() => process.exit(), 2_000).unref();
  },
  (error: unknown) => {
    const problem = databaseStartProblem(error);
    if (error instanceof ConfigProblems || error instanceof Refusal) console.error(error.message);
    else if (problem) console.error(problem);
    else if (isDatabaseUnavailable(error))
      console.error(`The database cannot be reached: ${(error as Error).message}`);
    else console.error(error);
    process.exitCode = 1;
  },
);
