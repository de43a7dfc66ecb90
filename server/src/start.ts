import { resolve } from 'node:path';
import { type App, createApp } from './app.ts';
import { backupCommand } from './operations/commands/backup/backup.ts';
import { demoCommand } from './operations/commands/demo/demo.ts';
import { dkimCommand } from './operations/commands/dkim/dkim.ts';
import { doctorCommand, examine } from './operations/commands/doctor/doctor.ts';
import { eraseCommand } from './operations/commands/erase/erase.ts';
import { operatorCommand } from './operations/commands/operator/operator.ts';
import { retentionCommand } from './operations/commands/retention/retention.ts';
import { seedCommand } from './operations/commands/seed/seed.ts';
import { namesAccount, simulateFraudCommand } from './operations/commands/simulate-fraud/simulate-fraud.ts';
import { noPlaces, openPlaces, type PlaceOf } from './platform/addresses/places.ts';
import { systemClock } from './platform/clock.ts';
import type { Config } from './platform/config.ts';
import { startConnectionWatchdog } from './platform/db/connection-watchdog.ts';
import { startEmbedded } from './platform/db/embedded.ts';
import { migrate, pendingFiles } from './platform/db/migrate.ts';
import { type Db, isDatabaseUnavailable, openDb, RESERVED_CONNECTIONS } from './platform/db/sql.ts';
import { openStandby, useStandby } from './platform/db/standby-reads.ts';
import { databaseStartProblem } from './platform/db/start-problem.ts';
import { settleTls } from './platform/db/tls.ts';
import { fileProblem, Refusal } from './platform/file-problem.ts';
import { createLog, type Logger, readableLines } from './platform/log.ts';
import type { Platform } from './platform/platform.ts';
import { type Random, systemRandom } from './platform/security/random.ts';
import { generateKey, keyFile, readKeyFile, rememberKey } from './platform/security/secret-key.ts';
import { createVault, type Vault } from './platform/security/vault.ts';
import { createWakeups } from './platform/wakeups.ts';
import { IPV4_LOOPBACK, localUrl, serveUntilStopped } from './serving.ts';
import { ConfigProblems, readConfig } from './settings/settings.ts';

const TASKS = [
  'all',
  'api',
  'worker',
  'migrate',
  'seed',
  'erase',
  'retention',
  'operator',
  'backup',
  'doctor',
  'demo',
  'dkim',
  'simulate-fraud',
] as const;
type Task = (typeof TASKS)[number];
/** Tasks that log. The others print to the terminal. */
const LOGGED: readonly Task[] = ['all', 'api', 'worker', 'migrate'];

export interface Process {
  env: Record<string, string | undefined>;
  /** aborted by the signal that stops the process */
  stopping: AbortSignal;
}

const print = (line: string): void => console.log(line);

/** Runs a task and returns the exit code. Reports each known failure in a sentence. */
export async function start(word: string, rest: readonly string[], given: Process): Promise<number> {
  if (!TASKS.includes(word as Task)) {
    console.error(
      `Unknown command "${word}". Use one of: ${TASKS.slice(1).join(', ')}, or none to start the service.`,
    );
    return 2;
  }
  const task = word as Task;
  // In production, every line of a log is JSON, the first and the last included.
  const isJson = given.env.NODE_ENV === 'production' && LOGGED.includes(task) && !process.stdout.isTTY;
  if (isJson) logWarnings();
  try {
    return await run(task, rest, { ...given, isJson });
  } catch (error) {
    const sentence = sentenceOf(error);
    if (isJson) createLog('fatal').fatal(sentence ? {} : { err: error }, sentence ?? 'startup failed');
    else console.error(sentence ?? error);
    return 1;
  }
}

const sentenceOf = (error: unknown): string | undefined => {
  if (error instanceof ConfigProblems || error instanceof Refusal) return error.message;
  const problem = databaseStartProblem(error) ?? fileProblem(error);
  if (problem) return problem;
  return isDatabaseUnavailable(error)
    ? `The database cannot be reached: ${(error as Error).message}`
    : undefined;
};

/** Node.js would print these as plain text. */
function logWarnings(): void {
  const log = createLog('warn');
  process.removeAllListeners('warning');
  process.on('warning', (err) => log.warn({ err }, 'Node.js warning'));
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, 'exiting after an unexpected error');
    process.exit(1);
  });
}

async function run(
  task: Task,
  rest: readonly string[],
  { env, stopping, isJson }: Process & { isJson: boolean },
): Promise<number> {
  if (task === 'doctor') return await doctorCommand(env, print);
  if (task === 'dkim') return dkimCommand(env.EMAIL_FROM, rest, print);
  if (task === 'simulate-fraud' && !namesAccount(rest))
    return await simulateFraudCommand(undefined, rest, print);
  const config = readConfig(env);
  const log = createLog(config.logLevel, process.stdout.isTTY ? await readableLines() : undefined);
  if (task === 'backup') return await backupCommand(config, log, rest, print);

  await using cleanup = new AsyncDisposableStack();
  const random = systemRandom(systemClock);
  const placeOf = await places(config);
  if (stopping.aborted) return 0;
  const databaseUrl = await database(config, log, cleanup, task === 'all' || task === 'api');
  if (stopping.aborted) return 0;
  if (task === 'all' || task === 'api' || task === 'migrate' || !config.databaseUrl)
    await migrateFirst(config, databaseUrl, log);
  if (task === 'migrate') {
    if (isJson) log.info('the database is up to date');
    else print('The database is up to date.');
    return 0;
  }
  const db = openDb({
    url: databaseUrl,
    log,
    reserved: RESERVED_CONNECTIONS,
    applicationName: `sixdigit ${task}`,
  });
  cleanup.defer(() => db.close());
  if (config.readDatabaseUrl && (task === 'all' || task === 'api')) {
    const standby = openStandby({ url: config.readDatabaseUrl, log });
    cleanup.defer(() => standby.close());
    useStandby(db, standby);
  }
  await refuseUnmigrated(db);
  const vault = await openVault(config, db, random);

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
  // The sandbox carrier must not print codes to a log; the sandbox inbox shows the messages instead.
  const app = createApp(platform, isJson ? () => undefined : print);
  cleanup.defer(() => app.carriers.close());
  cleanup.defer(() => app.lookups.close());
  // Its carriers can come from the console.
  if (
    task === 'erase' ||
    task === 'seed' ||
    task === 'operator' ||
    task === 'demo' ||
    task === 'simulate-fraud'
  )
    await app.live.refresh();
  if (task === 'erase' || task === 'retention' || task === 'seed' || task === 'operator')
    return await runTask(task, app, rest);
  if (task === 'simulate-fraud') return await simulateFraudCommand(app, rest, print);
  if (task === 'demo') {
    config.publicUrl ??= localUrl(config.host === IPV4_LOOPBACK ? 'localhost' : config.host, config.port);
    return await demoCommand(app, print);
  }
  if (stopping.aborted) return 0;
  const watching = startConnectionWatchdog(app, databaseUrl);
  cleanup.defer(() => watching.stop());
  await serveUntilStopped(app, task, {
    stopping,
    examine: () => examine(env),
    print: isJson ? undefined : print,
  });
  return 0;
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

async function migrateFirst(config: Config, databaseUrl: string, log: Logger): Promise<void> {
  const direct = config.migrateDatabaseUrl && (await settleTls(config.migrateDatabaseUrl));
  const ran = await migrate(direct ?? databaseUrl);
  const [migrations, functions] = [ran.migrations.length, ran.functions.length];
  if (migrations + functions === 0) return;
  log.info({ migrations, functions }, 'database migrated');
  log.debug(ran, 'applied migrations and functions');
}

/** Fails if migrations are pending. A worker does not migrate and can start before the first API process has. */
async function refuseUnmigrated(db: Db): Promise<void> {
  const [lacking] = await pendingFiles(db);
  if (lacking)
    throw new Refusal(
      `The database is not up to date (${lacking} has not run): run \`npm start -- migrate\` or start an API process, and start again.`,
    );
}

/** With the configured server key, or that of a sandbox, which its first start on a database generates. */
async function openVault(config: Config, db: Db, random: Random): Promise<Vault> {
  const vaultOf = (key: string) => createVault(key, config.previousSecretKeys, random);
  const key =
    config.secretKey ??
    (await inDataDir(
      config,
      async ({ dataDir }) => readKeyFile(dataDir) ?? (await generateKey({ db, dataDir, random, vaultOf })),
    ));
  const vault = vaultOf(key);
  await rememberKey(db, vault, config.secretKey ? undefined : keyFile(config.dataDir));
  return vault;
}

/** Runs work that uses the data folder, and reports files that cannot be used in a sentence. */
async function inDataDir<T>(config: Config, work: (config: Config) => T | Promise<T>): Promise<T> {
  try {
    return await work(config);
  } catch (error) {
    const problem = fileProblem(error, resolve(config.dataDir));
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

function runTask(
  task: 'erase' | 'retention' | 'seed' | 'operator',
  app: App,
  rest: readonly string[],
): Promise<number> {
  const commands = {
    erase: eraseCommand,
    retention: retentionCommand,
    seed: seedCommand,
    operator: operatorCommand,
  };
  const command = commands[task];
  return command(app, rest, print);
}
