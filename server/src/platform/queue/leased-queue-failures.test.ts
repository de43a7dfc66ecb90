import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { held, itemQueue } from '../../../test/item-queue.ts';

const { add, claimed, countOf, left, queue, service, standard, workerOf, clear, close } = await itemQueue();
beforeEach(clear);
afterAll(close);

test('a failure of one item releases this item alone, and not as an orphan', async () => {
  await add(2);
  const { started, process } = held();
  const job = queue({ process });
  const worker = workerOf();
  await job.run(worker);
  const [broken, fine] = started;
  broken?.fail(new Error('broken'));
  await vi.waitFor(() => expect(service.logLines.join('\n')).toContain('items: interrupted'));
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

test('a failure of an item while another one is released is not taken for an orphaned claim', async () => {
  await add(2);
  const { started, process } = held();
  const { claim, release } = standard;
  let isLost = false;
  const failures = () => service.logLines.filter((line) => line.includes('items: interrupted')).length;
  const fails = async (n: number) => {
    started[n]?.fail(new Error('broken'));
    await vi.waitFor(() => expect(failures()).toBe(n + 1));
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

test('a failure of the release is repeated, and the item stays claimed until then', async () => {
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

test('a failure to store an outcome is retried while the database is unavailable, without processing the item again', async () => {
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
