import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { held, type Item, type ItemQueueOptions, itemQueue } from '../../../test/item-queue.ts';
import { testWorker } from '../../../test/worker.ts';

const { add, claimed, left, queue, service, standard, clear, close } = await itemQueue();
beforeEach(clear);
afterAll(close);

const insert = ({ worker_id, claim }: { worker_id: string; claim: string }) =>
  service.app.db.one<Item>(
    `insert into items (lane, worker_id, claim) values ('fast', $1, $2) returning id, lane, claim`,
    [worker_id, claim],
  );
/** A queue whose worker runs and has found no due row. */
async function begun(options: Partial<ItemQueueOptions> = {}) {
  const ending = new AbortController();
  const worker = testWorker(service.app.random.uuid(), ending.signal);
  const job = queue(options);
  job.open(worker);
  await job.run(worker);
  return { job, worker, ending };
}

test('rows are inserted as claimed only while a worker runs, no older row waits and half of the slots suffice', async () => {
  await add(4);
  const { started, process } = held();
  const job = queue({ process, slots: { fast: 4, slow: 2 } });
  const ending = new AbortController();
  const worker = testWorker(service.app.random.uuid(), ending.signal);
  expect(job.reserve('fast', 1)).toBeUndefined();
  job.open(worker);
  expect(job.reserve('fast', 1)).toBeUndefined();
  await job.run(worker);
  expect(job.reserve('fast', 1)).toBeUndefined();
  for (const { end } of started) end();
  await job.idle();
  await job.run(worker);
  const reservation = job.reserve('fast', 5);
  expect(reservation).toMatchObject({ worker_id: worker.id, places: 2 });
  expect(job.reserve('fast', 1)).toBeUndefined();
  reservation?.cancel();
  expect(job.reserve('fast', 1)?.places).toBe(1);
  ending.abort();
  expect(job.reserve('slow', 1)).toBeUndefined();
});

test('rows inserted as claimed are processed without a claim and never released as orphans', async () => {
  const { started, process } = held();
  const claim = vi.fn(standard.claim);
  const { job, worker } = await begun({ process, claim });
  const claims = claim.mock.calls.length;
  const reservation = job.reserve('fast', 1);
  if (!reservation) throw new Error('No places');
  const item = await insert(reservation);
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 3_000);
  await job.run(worker);
  expect(await claimed()).toBe(1);
  reservation.start([item]);
  await job.run(worker);
  expect(await claimed()).toBe(1);
  vi.restoreAllMocks();
  started[0]?.end();
  await job.idle();
  expect([started.length, claims, await left()]).toEqual([1, 1, 0]);
});

test('rows inserted as claimed are released as orphans if their commit seemed to fail, and processed once', async () => {
  const { started, process } = held();
  const { job, worker } = await begun({ process });
  const reservation = job.reserve('fast', 1);
  if (!reservation) throw new Error('No places');
  await insert(reservation);
  reservation.cancel();
  await job.run(worker);
  expect(started).toHaveLength(1);
  expect(started[0]?.item.claim).not.toBe(reservation.claim);
  started[0]?.end();
  await job.idle();
  expect(await left()).toBe(0);
});

test('a stopping worker waits for rows inserted as claimed', async () => {
  const { job } = await begun();
  const reservation = job.reserve('fast', 1);
  if (!reservation) throw new Error('No places');
  let isIdle = false;
  const idle = job.idle().then(() => {
    isIdle = true;
  });
  const item = await insert(reservation);
  expect(isIdle).toBe(false);
  reservation.start([item]);
  await idle;
  expect(await left()).toBe(0);
});
