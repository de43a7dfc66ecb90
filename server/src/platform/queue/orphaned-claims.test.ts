import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { held, itemQueue } from '../../../test/item-queue.ts';

const { add, claimed, left, queue, service, standard, workerOf, clear, close } = await itemQueue();
beforeEach(clear);
afterAll(close);

test('a queue claim whose response was lost is released and processed', async () => {
  await add(2);
  const { claim } = standard;
  let isLost = true;
  const job = queue({
    async claim(request) {
      const items = await claim(request);
      if (isLost) throw new Error('Connection terminated');
      return items;
    },
  });
  const worker = workerOf();
  await expect(job.run(worker)).rejects.toThrow('Connection terminated');
  expect(await claimed()).toBe(2);
  isLost = false;
  await job.run(worker);
  await job.idle();
  expect(await left()).toBe(0);
});

test('a claim whose response is awaited is not released while another run searches for orphans', async () => {
  await add(1);
  const { claim } = standard;
  const { started, process } = held();
  const response = Promise.withResolvers<void>();
  let claims = 0;
  const job = queue({
    process,
    async claim(request) {
      claims += 1;
      if (claims === 2) throw new Error('Connection terminated');
      const items = await claim(request);
      if (claims === 1) await response.promise;
      return items;
    },
  });
  const worker = workerOf();
  const first = job.run(worker);
  await expect.poll(() => claimed()).toBe(1);
  await expect(job.run(worker)).rejects.toThrow('Connection terminated');
  await job.run(worker);
  expect(await claimed()).toBe(1);
  response.resolve();
  await first;
  expect(started).toHaveLength(1);
  for (const { end } of started) end();
  await job.idle();
  expect(await left()).toBe(0);
});

test('parallel runs of a queue process each item once', async () => {
  for (let round = 0; round < 20; round += 1) {
    await add(3);
    const done: string[] = [];
    const job = queue({
      async process(item) {
        done.push(item.id);
        return 'done' as const;
      },
    });
    const worker = workerOf();
    await Promise.all(Array.from({ length: 4 }, () => job.run(worker)));
    await job.idle();
    await job.run(worker);
    await job.idle();
    expect([done.length, new Set(done).size, await left()]).toEqual([3, 3, 0]);
  }
});

test('a claim that commits late is released, and claims in flight are not', async () => {
  await add(1);
  const { started, process } = held();
  const job = queue({ process });
  const worker = workerOf();
  await job.run(worker);
  await add(1, 'slow');
  await service.app.db.run(`update items set worker_id = $1, claim = $2 where lane = 'slow'`, [
    worker.id,
    service.app.random.uuid(),
  ]);
  await vi.waitFor(
    async () => {
      await job.run(worker);
      expect(started.map(({ item }) => item.lane)).toEqual(['fast', 'slow']);
    },
    { timeout: 10_000 },
  );
  for (const { end } of started) end();
  await job.idle();
  expect(await left()).toBe(0);
});
