import { expect, test, vi } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { testService } from '../../../test/service.ts';
import type { Job } from './job.ts';
import { releaseClaimsOfDeadWorkers, startWork } from './work.ts';

const service = fixture(testService);

const idleJob = (more: Partial<Job> = {}): Job => ({
  name: 'test',
  everyMs: 5,
  run: async () => false,
  ...more,
});
/** The workers whose lease has expired. */
async function dead(): Promise<string[]> {
  const found: string[] = [];
  await releaseClaimsOfDeadWorkers(service.app, [idleJob({ free: async (ids) => void found.push(...ids) })]);
  return found;
}
const lastSeen = (id: string, secondsAgo: number) =>
  service.app.db.run(
    'update workers set seen_at = clock_timestamp() - make_interval(secs => $2) where id = $1',
    [id, secondsAgo],
  );
async function register(secondsAgo: number): Promise<string> {
  const id = service.app.random.uuid();
  await service.app.db.run(
    `insert into workers (id, name, started_at, seen_at) values ($1, 'test', now(), clock_timestamp())`,
    [id],
  );
  await lastSeen(id, secondsAgo);
  return id;
}

test('a worker that renewed its lease within four seconds is alive', async () => {
  const gone = await register(5);
  const alive = await register(2);
  expect(await dead()).toEqual([gone]);
  expect(await dead()).not.toContain(alive);
});

test('late claims of a dead worker are also released', async () => {
  const gone = await register(5);
  expect(await dead()).toContain(gone);
  expect(await dead()).toContain(gone);
});

test('a dead worker wakes only jobs with orphaned claims', async () => {
  const gone = await register(5);
  let runs = 0;
  const freed: string[] = [];
  const job = idleJob({
    name: 'rare',
    everyMs: 60_000,
    async run() {
      runs += 1;
      return false;
    },
    free: async (ids) => void freed.push(...ids),
  });
  const working = await startWork(service.app, [job], 'test');
  await vi.waitFor(() => expect(freed.filter((id) => id === gone).length).toBeGreaterThan(1), {
    timeout: 10_000,
  });
  expect(runs).toBe(1);
  await working.stop();
});

test('a worker that resumes is alive again', async () => {
  const resumed = Promise.withResolvers<void>();
  const { clock } = service.app;
  const frozen: typeof clock = {
    ...clock,
    sleep: (ms, signal) => resumed.promise.then(() => clock.sleep(ms, signal)),
  };
  const working = await startWork({ ...service.app, clock: frozen }, [idleJob()], 'test');
  await lastSeen(working.worker.id, 60);
  expect(await dead()).toContain(working.worker.id);
  resumed.resolve();
  await expect.poll(() => dead()).not.toContain(working.worker.id);
  await working.stop();
});

test('a worker stops claiming before its missing heartbeat makes it count as dead', async () => {
  const working = await startWork(service.app, [idleJob()], 'test');
  expect(working.worker.mayClaim()).toBe(true);
  const nowMs = performance.now();
  const later = vi.spyOn(performance, 'now');
  later.mockReturnValue(nowMs + 2_900);
  expect(working.worker.mayClaim()).toBe(false);
  await vi.waitFor(() => expect(working.worker.mayClaim()).toBe(true), { timeout: 10_000 });
  later.mockReturnValue(nowMs + 4_950);
  expect(working.worker.mayClaim()).toBe(false);
  later.mockRestore();
  await working.stop();
});

test('after a delayed heartbeat, a worker declares no other worker dead until its next heartbeat', async () => {
  const { db } = service.app;
  const gone = await register(1);
  const seen = async () =>
    (await db.one<{ at: string }>('select seen_at as at from workers where id = $1', [working.worker.id])).at;
  const heartbeatsAtRelease: string[] = [];
  const free = async (ids: readonly string[]) => {
    if (ids.includes(gone)) heartbeatsAtRelease.push(await seen());
  };
  const working = await startWork(service.app, [idleJob({ free })], 'test');
  const nowMs = performance.now();
  const later = vi.spyOn(performance, 'now').mockReturnValue(nowMs);
  let blocked = '';
  await db.transaction(async (tx) => {
    await tx.run('select from workers where id = $1 for update', [working.worker.id]);
    blocked = await seen();
    await vi.waitFor(
      async () =>
        expect(
          await db.rows(
            `select from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into workers%'`,
          ),
        ).toHaveLength(1),
      { timeout: 10_000 },
    );
    await lastSeen(gone, 5);
    later.mockReturnValue(nowMs + 3_000);
  });
  await expect.poll(() => seen()).not.toBe(blocked);
  const first = await seen();
  await vi.waitFor(() => expect(heartbeatsAtRelease).not.toEqual([]), { timeout: 10_000 });
  expect(heartbeatsAtRelease[0]).not.toBe(first);
  later.mockRestore();
  await working.stop();
});

test('heartbeats do not wait while other statements hold all connections available to them', async () => {
  const { db } = service.app;
  const working = await startWork(service.app, [idleJob()], 'test');
  const release = Promise.withResolvers<void>();
  const held = Array.from({ length: 40 }, () => db.transaction(() => release.promise));
  await expect.poll(() => db.connections().waiting).toBeGreaterThan(0);
  const seen = async () =>
    (
      await db.reserve.one<{ at: string }>('select seen_at as at from workers where id = $1', [
        working.worker.id,
      ])
    ).at;
  const before = await seen();
  try {
    await vi.waitFor(async () => expect(await seen()).not.toBe(before), { timeout: 10_000 });
  } finally {
    release.resolve();
    await Promise.all(held);
  }
  await working.stop();
});

test('a stopped worker counts as dead immediately, so its claims are released', async () => {
  const working = await startWork(service.app, [idleJob()], 'test');
  expect(await dead()).not.toContain(working.worker.id);
  await working.stop();
  expect(await dead()).toContain(working.worker.id);
});

test('a stopping worker waits for jobs in flight', async () => {
  let isDone = false;
  const working = await startWork(
    service.app,
    [
      idleJob({
        async idle() {
          await new Promise((resolve) => setTimeout(resolve, 20));
          isDone = true;
        },
      }),
    ],
    'test',
  );
  await working.stop();
  expect(isDone).toBe(true);
});

test('a failing job is retried and does not delay other jobs', async () => {
  let failures = 0;
  let runs = 0;
  const working = await startWork(
    service.app,
    [
      idleJob({
        name: 'failing',
        async run() {
          failures += 1;
          throw new Error('broken');
        },
      }),
      idleJob({
        name: 'running',
        async run() {
          runs += 1;
          return false;
        },
      }),
    ],
    'test',
  );
  await expect.poll(() => failures).toBeGreaterThan(1);
  await expect.poll(() => runs).toBeGreaterThan(10);
  await working.stop();
  expect(service.logLines.join('\n')).toContain('job failed; it will be tried again');
});

test('a wake-up runs a job before its scheduled time', async () => {
  let runs = 0;
  const job = idleJob({
    topic: 'bell',
    everyMs: 60_000,
    async run() {
      runs += 1;
      return false;
    },
  });
  const working = await startWork(service.app, [job], 'test');
  await expect.poll(() => runs).toBe(1);
  service.app.wakeups.notify('bell');
  await expect.poll(() => runs).toBe(2);
  await working.stop();
});
