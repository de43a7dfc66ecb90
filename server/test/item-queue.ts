import type { Worker } from '../src/platform/queue/job.ts';
import { type Lease, type LeasedQueueOptions, leasedQueue } from '../src/platform/queue/leased-queue.ts';
import { stillDead } from '../src/platform/queue/work.ts';
import { testService } from './service.ts';
import { testWorker } from './worker.ts';

type Lane = 'fast' | 'slow';
export interface Item extends Lease {
  lane: Lane;
}
export type ItemQueueOptions = LeasedQueueOptions<Item, 'done', Lane>;

/** Processing that a test can complete at any time. */
export function held() {
  const started: { item: Item; end(): void; fail(error: Error): void }[] = [];
  const process = (item: Item) =>
    new Promise<'done'>((resolve, reject) => {
      started.push({ item, end: () => resolve('done'), fail: reject });
    });
  return { started, process };
}

/** A leased queue on a small table: each item is done once it has been processed and removed. */
export async function itemQueue() {
  const service = await testService();
  const { db, random } = service.app;
  await db.run(
    `create table items (
       id uuid primary key default gen_random_uuid(), lane text not null, worker_id uuid, claim uuid, releases integer not null default 0)`,
  );
  const countOf = async (condition: string) =>
    (await db.one<{ n: number }>(`select count(*) as n from items where ${condition}`)).n;
  const standard: ItemQueueOptions = {
    name: 'items',
    everyMs: 60_000,
    idField: 'item_id',
    slots: { fast: 3, slow: 2 },
    laneOf: ({ lane }) => lane,
    claim: ({ worker_id, claim, free }) =>
      db.rows<Item>(
        `with fast as (
           select id from items where worker_id is null and lane = 'fast' limit $3 for update skip locked
         ), slow as (
           select id from items where worker_id is null and lane = 'slow' limit $4 for update skip locked
         )
         update items set worker_id = $1, claim = $2
         where id in (select id from fast union all select id from slow)
         returning id, lane, claim`,
        [worker_id, claim, free.fast, free.slow],
      ),
    process: async () => 'done',
    finish: ({ id, claim }) => db.run('delete from items where id = $1 and claim = $2', [id, claim]),
    release: ({ id, claim }) =>
      db.run(
        'update items set worker_id = null, claim = null, releases = releases + 1 where id = $1 and claim = $2',
        [id, claim],
      ),
    releaseOrphans: (worker_id, held) =>
      db.run(
        'update items set worker_id = null, claim = null where worker_id = $1 and claim <> all ($2::uuid[])',
        [worker_id, held],
      ),
    releaseDead: (worker_ids) =>
      db.run(`update items set worker_id = null, claim = null where worker_id = any (${stillDead('$1')})`, [
        worker_ids,
      ]),
  };
  return {
    service,
    standard,
    add: (count: number, lane: Lane = 'fast') =>
      db.run('insert into items (lane) select $2 from generate_series(1, $1)', [count, lane]),
    countOf,
    left: () => countOf('true'),
    claimed: () => countOf('worker_id is not null'),
    queue: (options: Partial<ItemQueueOptions> = {}) =>
      leasedQueue<Item, 'done', Lane>(service.app, { ...standard, ...options }),
    workerOf: (id = random.uuid()): Worker => testWorker(id),
    /** Resets the queue between tests, because a new service costs more than most tests. */
    async clear() {
      await db.run('delete from items');
      await db.run('delete from workers');
      service.logLines.length = 0;
    },
    close: () => service[Symbol.asyncDispose](),
  };
}
