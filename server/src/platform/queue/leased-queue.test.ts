import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type TestService, testService } from '../../../test/service.ts';
import type { Worker } from './job.ts';
import { type Lease, type LeasedQueueOptions, leasedQueue } from './leased-queue.ts';
import { releaseClaimsOfDeadWorkers, startWork } from './work.ts';

/** The queue on a small table: each item is done once it has been processed and removed. */
type Lane = 'fast' | 'slow';
interface Item extends Lease {
  lane: Lane;
}

let service: TestService;
beforeEach(async () => {
  service = await testService();
  await service.app.db.run(
    `create table items (
       id uuid primary key default gen_random_uuid(), lane text not null, worker_id uuid, claim uuid, releases integer not null default 0)`,
  );
});
afterEach(() => service[Symbol.asyncDispose]());

const add = (count: number, lane: Lane = 'fast') =>
  service.app.db.run('insert into items (lane) select $2 from generate_series(1, $1)', [count, lane]);
const countOf = async (condition: string) =>
  (await service.app.db.one<{ n: number }>(`select count(*) as n from items where ${condition}`)).n;
const left = () => countOf('true');
const claimed = () => countOf('worker_id is not null');

/** Processing that each test ends when it likes. */
function held() {
  const started: { item: Item; end(): void; fail(error: Error): void }[] = [];
  const process = (item: Item) =>
    new Promise<'done'>((resolve, reject) => {
      started.push({ item, end: () => resolve('done'), fail: reject });
    });
  return { started, process };
}

type Options = LeasedQueueOptions<Item, 'done', Lane>;

function optionsOf(): Options {
  const { db } = service.app;
  return {
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
      db.run('update items set worker_id = null, claim = null where worker_id = any ($1::uuid[])', [
        worker_ids,
      ]),
  };
}
const queue = (options: Partial<Options> = {}) =>
  leasedQueue<Item, 'done', Lane>(service.app, { ...optionsOf(), ...options });
const workerOf = (id = service.app.random.uuid()): Worker => ({ id, signal: new AbortController().signal });

describe('rows that are inserted already claimed', () => {
  const insert = ({ worker_id, claim }: { worker_id: string; claim: string }) =>
    service.app.db.one<Item>(
      `insert into items (lane, worker_id, claim) values ('fast', $1, $2) returning id, lane, claim`,
      [worker_id, claim],
    );
  /** A queue whose worker runs and has found no due row. */
  async function begun(options: Partial<Options> = {}) {
    const ending = new AbortController();
    const worker: Worker = { id: service.app.random.uuid(), signal: ending.signal };
    const job = queue(options);
    job.open(worker);
    await job.run(worker);
    return { job, worker, ending };
  }

  test('have places only while a worker runs, while no older row waits, and in half of the slots', async () => {
    await add(4);
    const { started, process } = held();
    const job = queue({ process, slots: { fast: 4, slow: 2 } });
    const ending = new AbortController();
    const worker: Worker = { id: service.app.random.uuid(), signal: ending.signal };
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

  test('are processed without a claim, and no search for orphans releases them before or after they start', async () => {
    const { started, process } = held();
    const claim = vi.fn(optionsOf().claim);
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

  test('are released as orphans if their commit seemed to fail, and processed once', async () => {
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

  test('are awaited by a worker that stops', async () => {
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
});

describe('slots', () => {
  test('a process has no more items in flight than slots, and reports a full lane', async () => {
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

  test('a full lane does not delay another lane', async () => {
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

  test('slots may grow while items are in flight', async () => {
    await add(4);
    let most = 1;
    const { started, process } = held();
    const job = queue({ process, slots: { fast: () => most, slow: 0 } });
    const worker = workerOf();
    await job.run(worker);
    expect(started).toHaveLength(1);
    most = 3;
    await job.run(worker);
    expect(started).toHaveLength(3);
    most = 1;
    expect(await job.run(worker)).toBe(false);
    expect(started).toHaveLength(3);
    for (const { end } of started) end();
    await job.idle();
  });

  test('the end of an item in a full lane wakes the queue', async () => {
    await add(20);
    const working = await startWork(service.app, [queue()], 'test');
    await vi.waitFor(async () => expect(await left()).toBe(0), { timeout: 10_000 });
    await working.stop();
  });

  test('the end of any item wakes the queue if each may make another one due', async () => {
    let woken = 0;
    const app = { ...service.app, wakeups: { ...service.app.wakeups, notify: () => void woken++ } };
    await add(2);
    for (const [wakesAfterEach, expected] of [
      [false, 0],
      [true, 2],
    ] as const) {
      await add(2 - (await left()));
      const job = leasedQueue<Item, 'done', Lane>(app, { ...optionsOf(), wakesAfterEach });
      woken = 0;
      await job.run(workerOf());
      await job.idle();
      expect(woken).toBe(expected);
    }
  });
});

describe('several workers', () => {
  test('process each item once', async () => {
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

  test('take over the claims of a dead worker, which changes nothing if it resumes', async () => {
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
});

describe('orphaned claims', () => {
  test('a claim whose response was lost is released and processed', async () => {
    await add(2);
    const { claim } = optionsOf();
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

  test('a claim that appears later is released, those in flight are not', async () => {
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
});

describe('a failure', () => {
  test('of one item releases this item alone, and not as an orphan', async () => {
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

  test('of an item while another one is released is not taken for an orphaned claim', async () => {
    await add(2);
    const { started, process } = held();
    const { claim, release } = optionsOf();
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

  test('of the release is repeated, and the item stays claimed until then', async () => {
    await add(1);
    const { started, process } = held();
    const { release } = optionsOf();
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

  test('to store an outcome is retried while the database is unavailable, without processing the item again', async () => {
    await add(1);
    let processed = 0;
    const errors = [
      Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
      Object.assign(new Error('deadlock detected'), { code: '40P01' }),
    ];
    const { finish } = optionsOf();
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
});

test('a stop finishes the items in flight and claims no others', async () => {
  await add(5);
  const { started, process } = held();
  const working = await startWork(service.app, [queue({ process })], 'test');
  await vi.waitFor(() => expect(started).toHaveLength(3), { timeout: 10_000 });
  const stopped = working.stop();
  for (const { end } of started) end();
  await stopped;
  expect([started.length, await left(), await claimed()]).toEqual([3, 2, 0]);
});
