import { monotonicMs } from '../clock.ts';
import type { RowRule } from '../db/retention.ts';
import type { Queryable, Sql, Tx } from '../db/sql.ts';
import { briefly } from '../log.ts';
import type { DatabaseGauges } from '../metrics.ts';
import type { Needs } from '../platform.ts';
import { maskedText } from '../security/masks.ts';
import { version } from '../version.ts';
import type { Job, Worker } from './job.ts';

/** Heartbeat interval. A worker without a heartbeat for DEAD_SECONDS is dead. */
const HEARTBEAT_MS = 1_000;
const RETRY_MS = 500;
const DEAD_SECONDS = 4;
/** A heartbeat counts as recent for half of that time, so that a claim is committed well before its worker counts as dead. */
const RECENT_MS = (DEAD_SECONDS * 1_000) / 2;

export interface Working {
  readonly worker: Worker;
  /** Stops claiming, waits for work in flight, and signs off. */
  stop(): Promise<void>;
}

type App = Needs<'db' | 'clock' | 'random' | 'log' | 'vault' | 'wakeups'>;

/** Runs every job in its own loop until stopped, so that a slow or failing job does not delay others. */
export async function startWork(app: App, jobs: readonly Job[], name: string): Promise<Working> {
  const ending = new AbortController();
  const id = app.random.uuid();
  let shownMs = monotonicMs();
  const worker: Worker = {
    id,
    signal: ending.signal,
    mayClaim: () => monotonicMs() - shownMs < RECENT_MS && app.vault.lacksKey === undefined,
  };
  await showLife(app, id, name);
  const heart = beat(app, worker, jobs, async () => {
    const startedMs = monotonicMs();
    await showLife(app, id, name);
    // The heartbeat statement itself may have waited for a frozen database.
    const wasAlive = worker.mayClaim();
    shownMs = startedMs;
    return { wasAlive };
  });
  for (const job of jobs) job.open?.(worker);
  const loops = jobs.map((job) => loop(app, job, worker));
  return {
    worker,
    async stop() {
      ending.abort();
      await Promise.all(loops);
      await Promise.all(jobs.map((job) => job.idle?.()));
      await heart;
      await signOff(app, worker).catch(() => 0);
    },
  };
}

async function loop(app: App, job: Job, worker: Worker): Promise<void> {
  while (!worker.signal.aborted) {
    let more = false;
    try {
      more = await job.run(worker);
    } catch (error) {
      const fields = { ...briefly(error, app.clock.now().getTime()), job: job.name };
      app.log.warn(fields, 'job failed; it will be tried again');
      await noteFailure(app.db, job, error).catch(() => undefined);
      await app.clock.sleep(500, worker.signal);
    }
    if (!more && !worker.signal.aborted)
      await app.wakeups.wait(job.topic ?? job.name, job.everyMs, worker.signal);
  }
}

/**
 * Uses the database's real clock, which tests cannot shift, and a reserved connection, so that dashboard statements cannot
 * delay a heartbeat.
 */
const showLife = (app: App, id: string, name: string): Promise<number> =>
  app.db.reserve.run(
    `insert into workers (id, name, version, started_at, seen_at) values ($1, $2, $3, clock_timestamp(), clock_timestamp())
     on conflict (id) do update set seen_at = clock_timestamp()`,
    [id, name, version],
  );

async function beat(
  app: App,
  worker: Worker,
  jobs: readonly Job[],
  show: () => Promise<{ wasAlive: boolean }>,
): Promise<void> {
  let pauseMs = HEARTBEAT_MS;
  while (!worker.signal.aborted) {
    await app.clock.sleep(pauseMs, worker.signal);
    try {
      const { wasAlive } = await show();
      pauseMs = HEARTBEAT_MS;
      // After its own outage, a worker gives the other workers one heartbeat interval before it declares them dead.
      if (wasAlive) await releaseClaimsOfDeadWorkers(app, jobs);
    } catch (error) {
      pauseMs = RETRY_MS;
      app.log.warn(briefly(error, app.clock.now().getTime()), 'heartbeat failed');
    }
  }
}

/** Marks the worker as dead, so that others can release its remaining claims. */
const signOff = (app: App, worker: Worker): Promise<number> =>
  app.db.run('update workers set seen_at = clock_timestamp() - make_interval(secs => $2 + 1) where id = $1', [
    worker.id,
    DEAD_SECONDS,
  ]);

/**
 * Releases the claims of dead workers. Dead workers stay recorded for a day (retention removes them), so a late claim that one
 * of them commits after the release is also found.
 */
export async function releaseClaimsOfDeadWorkers(app: Needs<'db'>, jobs: readonly Job[]): Promise<void> {
  const dead = await app.db.rows<{ id: string }>(
    `select id from workers where seen_at < clock_timestamp() - make_interval(secs => $1)`,
    [DEAD_SECONDS],
  );
  if (dead.length === 0) return;
  const ids = dead.map(({ id }) => id);
  // Sends no wake-up, because workers with such jobs poll often.
  for (const job of jobs) await job.free?.(ids);
}

/**
 * SQL for the workers in a parameter that are still dead: `worker_id = any (${stillDead('$1')})`. A worker may have resumed
 * since it was found dead. It makes claims only after a heartbeat, so a statement that sees its new claims sees the heartbeat
 * too.
 */
export const stillDead = (workers: `$${number}`): string =>
  `array(select d.id from unnest(${workers}::uuid[]) as d (id) where not exists (
     select from workers w where w.id = d.id and w.seen_at >= clock_timestamp() - make_interval(secs => ${DEAD_SECONDS})))`;

/** Counts the workers with a heartbeat in the last five seconds, over all processes. */
export const countLiveWorkers = async (sql: Sql): Promise<number> =>
  (
    await sql.one<{ n: number }>(
      `select count(*) as n from workers where seen_at > clock_timestamp() - interval '5 seconds'`,
    )
  ).n;

/** Finds which of these workers still have claims in a queue. */
export type ClaimHolders = (tx: Tx, workers: readonly string[]) => Promise<string[]>;

/** Deletes workers that died more than a day ago, except those that still have claims. */
export const workerRule = (queues: readonly ClaimHolders[]): RowRule => ({
  table: 'workers',
  run: (tx) => deleteDeadWorkers(tx, queues),
});

async function deleteDeadWorkers(tx: Tx, queues: readonly ClaimHolders[]): Promise<number> {
  const dead = await tx.rows<{ id: string }>(
    `select id from workers where seen_at < clock_timestamp() - interval '1 day'`,
  );
  const ids = dead.map(({ id }) => id);
  if (ids.length === 0) return 0;
  const holders: string[] = [];
  for (const holdersIn of queues) holders.push(...(await holdersIn(tx, ids)));
  return tx.run('delete from workers where id = any ($1) and id <> all ($2)', [ids, holders]);
}

export const workerGauges: DatabaseGauges = {
  gauges: [{ name: 'workers', help: 'Workers seen in the last five seconds.' }],
  read: async (sql) => [{ name: 'workers', value: await countLiveWorkers(sql) }],
};

export interface ListedWorker {
  name: string;
  started_at: string;
  seen_at: string;
  is_alive: boolean;
  /** Sixdigit's version; empty for workers of versions without this field. */
  version: string;
}

/** The workers of the last hour, with their last heartbeats. */
export const selectWorkers = (sql: Queryable): Promise<ListedWorker[]> =>
  sql.rows(
    `select name, version, started_at, seen_at, seen_at > clock_timestamp() - interval '5 seconds' as is_alive
     from workers where seen_at > clock_timestamp() - interval '1 hour' order by started_at`,
  );

/** A job whose runs failed in the last day. */
interface FailedJob {
  name: string;
  failures: number;
  last_failed_at: string;
  last_error: string;
}

const ERROR_MOST = 300;

/** Counts failures until a job has not failed for a day. The error is stored without recipients. */
const noteFailure = (sql: Sql, { name }: Pick<Job, 'name'>, error: unknown): Promise<number> =>
  sql.run(
    `insert into job_failures as f (job, failures, last_failed_at, last_error) values ($1, 1, clock_now(), $2)
     on conflict (job) do update set last_failed_at = excluded.last_failed_at, last_error = excluded.last_error,
       failures = case when f.last_failed_at < clock_now() - interval '1 day' then 1 else f.failures + 1 end`,
    [name, textOf(error)],
  );

const textOf = (error: unknown): string =>
  maskedText(error instanceof Error ? error.message : String(error))
    .replaceAll('\0', '')
    .slice(0, ERROR_MOST)
    .toWellFormed();

/** The most recent failures first. */
export const selectFailedJobs = (sql: Queryable): Promise<FailedJob[]> =>
  sql.rows<FailedJob>(
    `select job as name, failures, last_failed_at, last_error from job_failures
     where last_failed_at > clock_now() - interval '1 day' order by job_failures.last_failed_at desc, job`,
  );
