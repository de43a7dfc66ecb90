import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { held, type Item, type ItemQueueOptions, itemQueue } from '../../../test/item-queue.ts';
import { leasedQueue } from './leased-queue.ts';
import { releaseClaimsOfDeadWorkers, startWork } from './work.ts';

const { add, claimed, countOf, left, queue, service, standard, workerOf, clear, close } = await itemQueue();
beforeEach(clear);
afterAll(close);

describe('slots', () => {
  test('a queue has at most as many items in flight as slots, and reports a full lane', async () => {
    await add(5);
    const { started, process } = held();
    const job = queue({ process });
    const worker = workerOf();
    expect(await job.run(worker)).toBe(true);
    expect(await job.run(worker)).toBe(false);
    expect([started.length, await claimed()]).toEqual([3, 3]);
    for (const { end } of started) end();
    await job.idle();
    expect(await job.run(worker)).toBe(false);
    for (const { end } of started) end();
    await job.idle();
    expect(await left()).toBe(0);
  });

  test('a full lane of a queue does not delay another lane', async () => {
    await add(4, 'slow');
    const { started, process } = held();
    const job = queue({ process });
    const worker = workerOf();
    await job.run(worker);
    expect(started.map(({ item }) => item.lane)).toEqual(['slow', 'slow']);
    await add(1, 'fast');
    await job.run(worker);
    expect(started.map(({ item }) => item.lane)).toEqual(['slow', 'slow', 'fast']);
    for (const { end } of started) end();
    await job.idle();
  });

  test('queue items whose outcome is being stored free their slots, up to a limit, and stay claimed', async () => {
    await add(5);
    const { started, process } = held();
    const storing = Promise.withResolvers<void>();
    const finish: ItemQueueOptions['finish'] = async (item, outcome) => {
      await storing.promise;
      return standard.finish(item, outcome);
    };
    const job = queue({ process, finish, slots: { fast: 2, slow: 0 }, mostUnstored: 2 });
    const worker = workerOf();
    await job.run(worker);
    for (const { end } of started) end();
    await expect.poll(() => job.run(worker).then(() => started)).toHaveLength(4);
    for (const { end } of started) end();
    await job.run(worker);
    await job.run(worker);
    expect([started.length, await claimed()]).toEqual([4, 4]);
    storing.resolve();
    await job.idle();
    await job.run(worker);
    for (const { end } of started) end();
    await job.idle();
    expect([started.length, await left()]).toEqual([5, 0]);
  });

  test('a queue with a claim in progress is not idle', async () => {
    await add(1);
    const { started, process } = held();
    const begun = Promise.withResolvers<void>();
    const allowed = Promise.withResolvers<void>();
    const claim: ItemQueueOptions['claim'] = async (request) => {
      begun.resolve();
      await allowed.promise;
      return standard.claim(request);
    };
    const job = queue({ process, claim });
    const running = job.run(workerOf());
    await begun.promise;
    let isIdle = false;
    const idle = job.idle().then(() => {
      isIdle = true;
    });
    allowed.resolve();
    await running;
    expect([started.length, isIdle]).toEqual([1, false]);
    for (const { end } of started) end();
    await idle;
    expect(await left()).toBe(0);
  });

  test('long-running queue items free their slots for others, up to a limit', async () => {
    await add(4);
    const { started, process } = held();
    const job = queue({ process, slots: { fast: 1, slow: 0 }, yields: { afterMs: 5, most: 2 } });
    const worker = workerOf();
    await job.run(worker);
    expect(started).toHaveLength(1);
    await expect.poll(() => job.run(worker).then(() => started)).toHaveLength(3);
    expect(await job.run(worker)).toBe(false);
    expect(started).toHaveLength(3);
    for (const { end } of started) end();
    await job.idle();
  });

  test('an item that ends in a full lane wakes the queue', async () => {
    await add(20);
    const working = await startWork(service.app, [queue()], 'test');
    await vi.waitFor(async () => expect(await left()).toBe(0), { timeout: 10_000 });
    await working.stop();
  });

  test('every item that ends wakes a queue in which it may make another item due', async () => {
    let woken = 0;
    const app = { ...service.app, wakeups: { ...service.app.wakeups, notify: () => void woken++ } };
    await add(2);
    for (const [wakesAfterEach, expected] of [
      [false, 0],
      [true, 2],
    ] as const) {
      await add(2 - (await left()));
      const job = leasedQueue(app, { ...standard, wakesAfterEach });
      woken = 0;
      await job.run(workerOf());
      await job.idle();
      expect(woken).toBe(expected);
    }
  });
});

test('several workers of a queue process each item once', async () => {
  await add(100);
  const seen: string[] = [];
  const process = async ({ id }: Item) => {
    seen.push(id);
    return 'done' as const;
  };
  const all = [1, 2, 3].map(() => ({ job: queue({ process }), worker: workerOf() }));
  while ((await left()) > 0) {
    await Promise.all(all.map(({ job, worker }) => job.run(worker)));
    await Promise.all(all.map(({ job }) => job.idle()));
  }
  expect(seen).toHaveLength(100);
  expect(new Set(seen).size).toBe(100);
});

test('several workers of a queue take over the claims of a dead worker, which changes nothing if it resumes', async () => {
  await add(1);
  const [first, second] = [held(), held()];
  const [dead, alive] = [queue(first), queue(second)];
  const frozen = workerOf();
  await dead.run(frozen);
  await service.app.db.run(
    `insert into workers (id, name, started_at, seen_at)
       values ($1, 'frozen', clock_timestamp(), clock_timestamp() - interval '5 seconds')`,
    [frozen.id],
  );
  await alive.run(workerOf());
  expect(second.started).toHaveLength(0);
  await releaseClaimsOfDeadWorkers(service.app, [alive]);
  await alive.run(workerOf());
  expect(second.started).toHaveLength(1);

  first.started[0]?.end();
  await dead.idle();
  expect([await left(), await claimed()]).toEqual([1, 1]);
  second.started[0]?.end();
  await alive.idle();
  expect(await left()).toBe(0);
});

test('a worker without a recent heartbeat claims neither due nor new rows', async () => {
  const worker = workerOf();
  const mayClaim = vi.spyOn(worker, 'mayClaim');
  const job = queue({ slots: { fast: 4, slow: 2 } });
  job.open(worker);
  await job.run(worker);
  mayClaim.mockReturnValue(false);
  expect(job.reserve('fast', 1)).toBeUndefined();
  await add(1);
  await job.run(worker);
  await job.idle();
  expect([await left(), await claimed()]).toEqual([1, 0]);
  mayClaim.mockReturnValue(true);
  const reservation = job.reserve('fast', 1);
  expect(reservation?.places).toBe(1);
  reservation?.cancel();
  await job.run(worker);
  await job.idle();
  expect(await left()).toBe(0);
});

test('a worker declared dead keeps the claims it makes after its next heartbeat', async () => {
  const { started, process } = held();
  const job = queue({ process });
  const working = await startWork(service.app, [], 'test');
  await add(1);
  await job.run(working.worker);
  // Another worker found it dead a moment before that heartbeat.
  await queue().free([working.worker.id]);
  expect(await claimed()).toBe(1);
  await working.stop();
  await queue().free([working.worker.id]);
  expect(await claimed()).toBe(0);
  for (const { end } of started) end();
  await job.idle();
});

test('a stopping queue finishes the items in flight and claims no others', async () => {
  await add(5);
  const { started, process } = held();
  const working = await startWork(service.app, [queue({ process })], 'test');
  await vi.waitFor(() => expect(started).toHaveLength(3), { timeout: 10_000 });
  const stopped = working.stop();
  for (const { end } of started) end();
  await stopped;
  expect([started.length, await left(), await claimed()]).toEqual([3, 2, 0]);
});

test('a queue item that fails is released alone, and not as an orphan', async () => {
  await add(2);
  const { started, process } = held();
  const job = queue({ process });
  const worker = workerOf();
  await job.run(worker);
  const [broken, fine] = started;
  broken?.fail(new Error('broken'));
  await expect.poll(() => service.logLines.join('\n')).toContain('items: interrupted');
  expect(await claimed()).toBe(2);
  await job.run(worker);
  expect(await countOf('releases = 1')).toBe(1);
  expect(started).toHaveLength(3);
  expect(started[2]?.item.id).toBe(broken?.item.id);
  fine?.end();
  started[2]?.end();
  await job.idle();
  expect(await left()).toBe(0);
});

test('an item that fails while another one is released does not count as an orphaned claim', async () => {
  await add(2);
  const { started, process } = held();
  const { claim, release } = standard;
  let isLost = false;
  const failures = () => service.logLines.filter((line) => line.includes('items: interrupted')).length;
  const fails = async (n: number) => {
    started[n]?.fail(new Error('broken'));
    await expect.poll(() => failures()).toBe(n + 1);
  };
  const job = queue({
    process,
    async claim(request) {
      if (isLost) throw new Error('Connection terminated');
      return claim(request);
    },
    async release(item) {
      if (item.id === started[0]?.item.id) await fails(1);
      await release(item);
    },
  });
  const worker = workerOf();
  await job.run(worker);
  // A lost response makes the next run search for orphaned claims.
  isLost = true;
  await expect(job.run(worker)).rejects.toThrow('Connection terminated');
  await fails(0);
  await expect(job.run(worker)).rejects.toThrow('Connection terminated');
  expect([await countOf('releases = 1'), await claimed()]).toEqual([1, 1]);
  await expect(job.run(worker)).rejects.toThrow('Connection terminated');
  expect([await countOf('releases = 1'), await claimed()]).toEqual([2, 0]);
});

test('a failed release is retried, and the item stays claimed until then', async () => {
  await add(1);
  const { started, process } = held();
  const { release } = standard;
  let isAvailable = false;
  const job = queue({
    process,
    release: (item) => {
      if (!isAvailable) throw new Error('Connection terminated');
      return release(item);
    },
  });
  const worker = workerOf();
  await job.run(worker);
  started[0]?.fail(new Error('broken'));
  await job.idle();
  for (let n = 0; n < 2; n++) await expect(job.run(worker)).rejects.toThrow('Connection terminated');
  expect([started.length, await claimed()]).toEqual([1, 1]);
  isAvailable = true;
  await job.run(worker);
  expect(started).toHaveLength(2);
  started[1]?.end();
  await job.idle();
  expect(await left()).toBe(0);
});

test('storing an outcome is retried while the database is unavailable, without processing the item again', async () => {
  await add(1);
  let processed = 0;
  const errors = [
    Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
    Object.assign(new Error('deadlock detected'), { code: '40P01' }),
  ];
  const { finish } = standard;
  const job = queue({
    async process() {
      processed++;
      return 'done';
    },
    finish: async (item, outcome) => {
      const error = errors.shift();
      if (error) throw error;
      return finish(item, outcome);
    },
  });
  await job.run(workerOf());
  await job.idle();
  expect([processed, errors.length, await left()]).toEqual([1, 0, 0]);
});
