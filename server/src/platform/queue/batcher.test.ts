import { expect, test } from 'vitest';
import { batcher } from './batcher.ts';

/** A batch in flight that the test ends when it likes. */
function held() {
  const batches: { items: number[]; end(): void; fail(error: Error): void }[] = [];
  let arrived = () => {};
  const run = (items: number[]) =>
    new Promise<number[]>((resolve, reject) => {
      batches.push({ items, end: () => resolve(items.map((item) => item * 10)), fail: reject });
      arrived();
    });
  const next = async (count: number) => {
    while (batches.length < count)
      await new Promise<void>((resolve) => {
        arrived = resolve;
      });
    return batches[count - 1] as (typeof batches)[number];
  };
  return { batches, run, next };
}
const never = () => false;

test('an idle batcher runs an item immediately', async () => {
  const { run, next } = held();
  const work = batcher({ run, most: 10, isOutage: never });
  const answer = work.submit(1);
  (await next(1)).end();
  expect(await answer).toBe(10);
});

test('items submitted in one turn of the event loop share a batch', async () => {
  const { run, next, batches } = held();
  const work = batcher({ run, most: 10, isOutage: never });
  const answers = Promise.all([work.submit(1), work.submit(2), work.submit(3)]);
  (await next(1)).end();
  expect(await answers).toEqual([10, 20, 30]);
  expect(batches).toHaveLength(1);
});

test('while a batch is in flight, the next one collects items in order of arrival, up to the limit', async () => {
  const { run, next, batches } = held();
  const work = batcher({ run, most: 3, isOutage: never });
  const first = work.submit(0);
  const running = await next(1);
  const rest = Promise.all([1, 2, 3, 4, 5].map((item) => work.submit(item)));
  expect(work.waiting).toBe(5);
  running.end();
  (await next(2)).end();
  (await next(3)).end();
  expect(await first).toBe(0);
  expect(await rest).toEqual([10, 20, 30, 40, 50]);
  expect(batches.map(({ items }) => items)).toEqual([[0], [1, 2, 3], [4, 5]]);
});

test('a batcher limits the number of batches in flight', async () => {
  const { run, next, batches } = held();
  const work = batcher({ run, most: 1, concurrency: 2, isOutage: never });
  const answers = Promise.all([1, 2, 3].map((item) => work.submit(item)));
  await next(2);
  expect(batches).toHaveLength(2);
  batches[1]?.end();
  (await next(3)).end();
  batches[0]?.end();
  expect(await answers).toEqual([10, 20, 30]);
});

test('a batch that fails is split until the failing item is alone', async () => {
  const runs: number[][] = [];
  const work = batcher<number, number>({
    async run(items) {
      runs.push(items);
      if (items.includes(13)) throw new Error('13 cannot be done');
      return items;
    },
    most: 100,
    isOutage: never,
  });
  const answers = await Promise.allSettled([10, 11, 12, 13, 14, 15, 16].map((item) => work.submit(item)));
  expect(
    answers.filter(({ status }) => status === 'fulfilled').map((one) => 'value' in one && one.value),
  ).toEqual([10, 11, 12, 14, 15, 16]);
  expect(answers[3]).toMatchObject({ status: 'rejected', reason: new Error('13 cannot be done') });
  expect(runs.at(0)).toHaveLength(7);
  expect(runs).toContainEqual([13]);
});

test('if every item fails, the next batch still runs', async () => {
  let isBroken = true;
  const work = batcher<number, number>({
    async run(items) {
      if (isBroken) throw new Error('broken');
      return items;
    },
    most: 100,
    isOutage: never,
  });
  const answers = await Promise.allSettled([1, 2, 3, 4, 5].map((item) => work.submit(item)));
  expect(answers.every(({ status }) => status === 'rejected')).toBe(true);
  isBroken = false;
  expect(await work.submit(6)).toBe(6);
});

test('a batch that fails because of an outage is not split', async () => {
  let runs = 0;
  const work = batcher<number, number>({
    async run() {
      runs += 1;
      throw new Error('away');
    },
    most: 100,
    isOutage: (error) => (error as Error).message === 'away',
  });
  const answers = await Promise.allSettled([1, 2, 3, 4].map((item) => work.submit(item)));
  expect(answers.every(({ status }) => status === 'rejected')).toBe(true);
  expect(runs).toBe(1);
});

test('a batch that throws synchronously fails only its own items', async () => {
  const work = batcher<number, number>({
    run(items) {
      if (items.includes(1)) throw new Error('thrown');
      return Promise.resolve(items);
    },
    most: 1,
    isOutage: never,
  });
  const answers = await Promise.allSettled([work.submit(1), work.submit(2)]);
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});

test('a batcher is idle when nothing is collected or in flight', async () => {
  const { run, next } = held();
  const work = batcher({ run, most: 1, isOutage: never });
  await work.idle();
  const seen: string[] = [];
  const answers = [work.submit(1), work.submit(2)].map((answer) =>
    answer.then((n) => seen.push(`answer ${n}`)),
  );
  const idle = work.idle().then(() => seen.push('idle'));
  (await next(1)).end();
  (await next(2)).end();
  await Promise.all([...answers, idle]);
  expect(seen).toEqual(['answer 10', 'answer 20', 'idle']);
});

const queueLimits = { ms: 300, most: 2, refusal: () => new Error('later') };

test('a batched item that waits too long times out and does not run unless its batch has started', async () => {
  const { run, next } = held();
  const work = batcher({ run, most: 1, isOutage: never, queueLimits });
  const first = work.submit(1);
  const answers = Promise.allSettled([first, work.submit(2)]);
  const batch = await next(1);
  expect((await answers).map((answer) => answer.status === 'rejected' && answer.reason.message)).toEqual([
    'later',
    'later',
  ]);
  const third = work.submit(3);
  batch.end();
  (await next(2)).end();
  expect(await third).toBe(30);
});

test('a batcher refuses an item beyond its queue limit immediately', async () => {
  const { run, next } = held();
  const work = batcher({ run, most: 2, isOutage: never, queueLimits });
  const inBatch = work.submit(1);
  const batch = await next(1);
  const waiting = [work.submit(2), work.submit(3)];
  await expect(work.submit(4)).rejects.toThrow('later');
  batch.end();
  (await next(2)).end();
  expect(await Promise.all([inBatch, ...waiting])).toEqual([10, 20, 30]);
});

/** Submits `count` items in one turn and ends their batch. */
async function runBatch(
  work: ReturnType<typeof batcher<number, number>>,
  source: ReturnType<typeof held>,
  count: number,
) {
  const answers = Promise.all(Array.from({ length: count }, (_, n) => work.submit(n)));
  (await source.next(source.batches.length + 1)).end();
  await answers;
}
const HOUR = 3_600_000;

test('a paced batcher runs a single caller’s items immediately', async () => {
  const source = held();
  const work = batcher({ run: source.run, most: 10, pace: { ms: HOUR, enough: 5 }, isOutage: never });
  for (let n = 0; n < 5; n++) await runBatch(work, source, 1);
  expect(source.batches.map(({ items }) => items.length)).toEqual([1, 1, 1, 1, 1]);
});

test('after a batch of several items, a paced batcher collects until enough items wait', async () => {
  const source = held();
  const work = batcher({ run: source.run, most: 10, pace: { ms: HOUR, enough: 5 }, isOutage: never });
  await runBatch(work, source, 2);
  const answers = Promise.all([1, 2, 3, 4].map((item) => work.submit(item)));
  await new Promise((resolve) => setImmediate(resolve));
  expect(work.waiting).toBe(4);
  const last = work.submit(5);
  (await source.next(2)).end();
  expect(await answers).toEqual([10, 20, 30, 40]);
  expect(await last).toBe(50);
  expect(source.batches).toHaveLength(2);
});

test('a paced batcher waits at most one interval and is idle afterwards', async () => {
  const source = held();
  const work = batcher({ run: source.run, most: 10, pace: { ms: 20, enough: 5 }, isOutage: never });
  await runBatch(work, source, 2);
  const answer = work.submit(1);
  const idle = work.idle();
  (await source.next(2)).end();
  expect(await answer).toBe(10);
  await idle;
  expect(work.waiting).toBe(0);
});
