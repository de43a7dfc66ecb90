import type { Needs } from '../platform.ts';
import type { Job, Worker } from './job.ts';

/** A worker shows its life this often; one that has not for DEAD_SECONDS is dead. */
const HEARTBEAT_MS = 1_000;
const DEAD_SECONDS = 4;

export interface Working {
  readonly worker: Worker;
  /** Stops claiming, waits for what is in flight, and signs off. */
  stop(): Promise<void>;
}

type App = Needs<'db' | 'clock' | 'random' | 'log' | 'wakeups'>;

/** Runs every job until stopped, each in its own loop: a job that is slow or fails holds up no other. */
export async function startWork(app: App, jobs: readonly Job[], name: string): Promise<Working> {
  const ending = new AbortController();
  const worker: Worker = { id: app.random.uuid(), signal: ending.signal };
  await showLife(app, worker, name);
  const heart = beat(app, worker, name, jobs);
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
      app.log.warn({ err: error, job: job.name }, 'job failed; it will be tried again');
      await app.clock.sleep(500, worker.signal);
    }
    if (!more && !worker.signal.aborted)
      await app.wakeups.wait(job.topic ?? job.name, job.everyMs, worker.signal);
  }
}

/** Liveness is about real time, so it reads the database's real clock. */
const showLife = (app: App, worker: Worker, name: string): Promise<number> =>
  app.db.run(
    `insert into workers (id, name, started_at, seen_at) values ($1, $2, clock_timestamp(), clock_timestamp())
     on conflict (id) do update set seen_at = clock_timestamp()`,
    [worker.id, name],
  );

async function beat(app: App, worker: Worker, name: string, jobs: readonly Job[]): Promise<void> {
  let shownMs = performance.now();
  while (!worker.signal.aborted) {
    await app.clock.sleep(HEARTBEAT_MS, worker.signal);
    try {
      await showLife(app, worker, name);
      // Whoever was away itself, or had no database, leaves the others a beat to show that they live.
      const wasAway = performance.now() - shownMs > (DEAD_SECONDS * 1_000) / 2;
      shownMs = performance.now();
      if (!wasAway) await releaseClaimsOfDeadWorkers(app, jobs);
    } catch (error) {
      app.log.warn({ err: error }, 'heartbeat failed');
    }
  }
}

/** Counts as dead from now on: what it leaves claimed, should there be any, is free. */
const signOff = (app: App, worker: Worker): Promise<number> =>
  app.db.run('update workers set seen_at = clock_timestamp() - make_interval(secs => $2 + 1) where id = $1', [
    worker.id,
    DEAD_SECONDS,
  ]);

/**
 * Takes back what dead workers had claimed. They stay known as dead for a day (retention removes them): a claim that one of
 * them makes with its last breath, after others took its claims back, is found as well.
 */
export async function releaseClaimsOfDeadWorkers(app: Needs<'db'>, jobs: readonly Job[]): Promise<void> {
  const dead = await app.db.rows<{ id: string }>(
    `select id from workers where seen_at < clock_timestamp() - make_interval(secs => $1)`,
    [DEAD_SECONDS],
  );
  if (dead.length === 0) return;
  const ids = dead.map(({ id }) => id);
  // No ring: whoever has claims to free polls often, and the others are no business of the dead.
  for (const job of jobs) await job.free?.(ids);
}
