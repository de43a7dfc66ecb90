import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { testService } from '../../test/service.ts';
import { webhookCustomer } from '../../test/webhook-customer.ts';
import { type WebhookFixture, webhookFixture } from '../../test/webhook-fixture.ts';
import { testWorker } from '../../test/worker.ts';
import type { Worker } from '../platform/queue/job.ts';
import { releaseClaimsOfDeadWorkers, startWork } from '../platform/queue/work.ts';
import { webhookJobs } from './jobs.ts';

const service = fixture(testService);
let hooks: WebhookFixture;
let receiver: WebhookFixture['receiver'];
let alice: WebhookFixture['alice'];
beforeEach(async () => {
  hooks = await webhookFixture(service);
  ({ receiver, alice } = hooks);
});
afterEach(() => hooks[Symbol.asyncDispose]());

/** A separate process to the database. */
function process(): {
  worker: Worker;
  run(): Promise<boolean>;
  idle(): Promise<void>;
  jobs: ReturnType<typeof webhookJobs>;
} {
  const jobs = webhookJobs(service.app);
  const worker = testWorker(service.app.random.uuid());
  return {
    worker,
    jobs,
    run: async () => (await Promise.all(jobs.map((job) => job.run(worker)))).some(Boolean),
    idle: async () => void (await Promise.all(jobs.map((job) => job.idle?.()))),
  };
}

const queued = async () =>
  (await service.app.db.one<{ n: number }>('select count(*) as n from webhook_deliveries')).n;
const held = async () =>
  (
    await service.app.db.one<{ n: number }>(
      'select count(*) as n from webhook_deliveries where worker_id is not null',
    )
  ).n;
const idsOf = (path: string) =>
  receiver.requests.filter((request) => request.path === path).map(({ headers }) => headers['webhook-id']);

describe('one slow endpoint slows no other', () => {
  test('a hundred messages to hanging endpoints do not delay other endpoints', async () => {
    const bob = await webhookCustomer(service, 'Bob');
    await bob.addEndpoint(receiver.at('/ok'));
    for (let n = 0; n < 4; n++) await alice.addEndpoint(receiver.at(`/hang?${n}`));
    await alice.publish('sent', 25);
    const working = await startWork(service.app, webhookJobs(service.app), 'test');
    await receiver.waitFor(16);
    await bob.publish('sent', 20);
    await receiver.waitFor(20, { path: '/ok' });
    // Each hanging message still has its place, and no other of its endpoint has begun.
    expect(receiver.requests.filter(({ path }) => path.startsWith('/hang'))).toHaveLength(16);
    await receiver.close();
    await working.stop();
    expect(await held()).toBe(0);
  });

  test('more hanging endpoints than delivery slots do not delay other endpoints', async () => {
    const eve = await webhookCustomer(service, 'Eve');
    const bob = await webhookCustomer(service, 'Bob');
    await bob.addEndpoint(receiver.at('/ok'));
    for (const customer of [alice, eve])
      for (let n = 0; n < 20; n++) await customer.addEndpoint(receiver.at(`/hang?${n}`));
    await alice.publish('sent', 5);
    await eve.publish('sent', 5);
    const working = await startWork(service.app, webhookJobs(service.app), 'test');
    await receiver.waitFor(64);
    await bob.publish('sent', 10);
    await receiver.waitFor(10, { path: '/ok' });
    await receiver.waitFor(170);
    expect(receiver.requests).toHaveLength(170);
    await receiver.close();
    await working.stop();
  });

  test('an endpoint has at most four messages in flight across all processes', async () => {
    let open = 0;
    let most = 0;
    const fourAreOpen = Promise.withResolvers<void>();
    receiver.answer = async () => {
      most = Math.max(most, ++open);
      if (open === 4) fourAreOpen.resolve();
      await fourAreOpen.promise;
      await new Promise((resolve) => setTimeout(resolve, 5));
      open--;
      return 200;
    };
    await alice.addEndpoint(receiver.at('/x'));
    await alice.publish('sent', 60);
    const working = await Promise.all(
      ['a', 'b', 'c'].map((name) => startWork(service.app, webhookJobs(service.app), name)),
    );
    await receiver.waitFor(60);
    await Promise.all(working.map((one) => one.stop()));
    expect(most).toBe(4);
    expect(new Set(idsOf('/x')).size).toBe(60);
    expect(receiver.requests).toHaveLength(60);
    expect(await queued()).toBe(0);
  });

  test('a repeatedly failing endpoint gets one webhook message at a time', async () => {
    receiver.answer = () => 500;
    const { id } = await alice.addEndpoint(receiver.at('/x'));
    await alice.publish('sent', 5);
    await service.drain();
    expect(await alice.endpoint(id)).toMatchObject({ consecutive_failures: 5 });
    receiver.answer = () => 'hang';
    await alice.publish('sent', 6);
    const one = process();
    await one.run();
    await receiver.waitFor(6);
    expect(await one.run()).toBe(false);
    expect(await held()).toBe(1);
    await receiver.close();
    await one.idle();
  });
});

test('two webhook workers never deliver the same message', async () => {
  for (let n = 0; n < 10; n++) await alice.addEndpoint(receiver.at(`/ok?${n}`));
  await alice.publish('sent', 8);
  const all = [process(), process(), process()];
  while ((await queued()) > 0) {
    await Promise.all(all.map((one) => one.run()));
    await Promise.all(all.map((one) => one.idle()));
  }
  const ids = receiver.requests.map(({ headers }) => headers['webhook-id']);
  expect(ids).toHaveLength(80);
  expect(new Set(ids).size).toBe(80);
});

test('two webhook workers take over the claims of a dead worker, which changes nothing if it resumes', async () => {
  let answer: 'hang' | 200 = 'hang';
  let wake = () => {};
  const asleep = new Promise<void>((resolve) => {
    wake = resolve;
  });
  receiver.answer = async () => {
    if (answer === 200) return 200;
    await asleep;
    return 500;
  };
  const { id } = await alice.addEndpoint(receiver.at('/x'));
  await alice.publish('sent', 3);
  const [dead, alive] = [process(), process()];
  await service.app.db.run(
    `insert into workers (id, name, started_at, seen_at)
       values ($1, 'dead', clock_timestamp(), clock_timestamp() - interval '5 seconds')`,
    [dead.worker.id],
  );
  await dead.run();
  await receiver.waitFor(3);
  await alive.run();
  expect(receiver.requests).toHaveLength(3);

  answer = 200;
  await releaseClaimsOfDeadWorkers(service.app, alive.jobs);
  await alive.run();
  await alive.idle();
  expect(new Set(idsOf('/x')).size).toBe(3);
  expect(receiver.requests).toHaveLength(6);
  expect(await alice.endpoint(id)).toMatchObject({ total_sent: 3, consecutive_failures: 0 });

  wake();
  await dead.idle();
  expect(await queued()).toBe(0);
  expect(await alice.endpoint(id)).toMatchObject({ total_sent: 3, consecutive_failures: 0 });
  expect(await alice.attempts(id)).toHaveLength(3);
});

test('a webhook claim whose response was lost is delivered', async () => {
  await alice.addEndpoint(receiver.at('/ok'));
  await alice.publish('sent', 2);
  const { db } = service.app;
  let isLost = true;
  const forgetful: typeof db = {
    ...db,
    async rows<T>(text: string, params?: readonly unknown[]) {
      const rows = await db.rows<T>(text, params);
      if (isLost && text.includes('claim_webhook_deliveries')) throw new Error('Connection terminated');
      return rows;
    },
  };
  const [job] = webhookJobs({ ...service.app, db: forgetful });
  const { worker } = process();
  await expect(job?.run(worker)).rejects.toThrow('Connection terminated');
  expect(await held()).toBe(2);
  isLost = false;
  await job?.run(worker);
  await job?.idle?.();
  expect(receiver.requests).toHaveLength(2);
});

test('a webhook attempt that could not be stored is repeated a minute later', async () => {
  const { id } = await alice.addEndpoint(receiver.at('/ok'));
  await alice.publish('sent');
  const { db } = service.app;
  await db.run('alter table webhook_attempts add constraint none_today check (attempt > 1)');
  const one = process();
  await one.run();
  await one.idle();
  await one.run();
  expect([receiver.requests.length, await held(), await queued()]).toEqual([1, 0, 1]);
  await db.run('alter table webhook_attempts drop constraint none_today');
  await service.clock.advance(61_000);
  await one.run();
  await one.idle();
  expect(await queued()).toBe(0);
  expect(await alice.attempts(id)).toMatchObject([{ attempt: 1, succeeded: true }]);
});

test('webhook messages that are still queued when their endpoint is deleted are dropped', async () => {
  const { id } = await alice.addEndpoint(receiver.at('/ok'));
  await alice.publish('sent', 3);
  await service.app.db.run('delete from webhook_endpoints where id = $1', [id]);
  await service.drain();
  expect([receiver.requests.length, await queued()]).toEqual([0, 0]);
});

test('a webhook secret that cannot be decrypted is recorded as a failed attempt with that reason', async () => {
  const { id } = await alice.addEndpoint(receiver.at('/ok'));
  await service.app.db.run('update webhook_endpoints set secret = $2 where id = $1', [id, Buffer.alloc(60)]);
  await alice.publish('sent');
  await service.drain();
  expect(receiver.requests).toHaveLength(0);
  expect(await alice.attempts(id)).toMatchObject([
    { succeeded: false, error: 'The signing secret could not be read. Set a new one.' },
  ]);
});
