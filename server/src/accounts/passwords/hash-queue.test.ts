import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import type { Failure } from '../../platform/http/failure.ts';
import { clientOf } from '../sessions/client.ts';
import { createHashQueue, type HashQueue, type Place, QUEUE_SIZE } from './hash-queue.ts';

/** A hasher whose jobs end when the test releases them. */
function slowHasher(queue: HashQueue) {
  const running: { name: string; end(): void }[] = [];
  const refused: string[] = [];
  /** The name of a job outside the open room is its account. */
  const add = (name: string, ip: string, room: Place['room'] = 'open') => {
    const client = clientOf({ ip, headers: {} });
    const work = () => new Promise<void>((end) => running.push({ name, end }));
    return queue.inTurn({ room, person_id: name, client }, work).catch((error: Failure) => {
      expect(error.reason).toBe('too_many_requests');
      expect(error.facts).toEqual({ retry_after: 1 });
      refused.push(name);
    });
  };
  const finishOne = async (): Promise<string | undefined> => {
    const first = running.shift();
    first?.end();
    await settle();
    return first?.name;
  };
  return { running, refused, add, finishOne };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));
const small = { atOnce: 1, open: 8, known: 4, signed_in: 8 };
const wide = { atOnce: 2, open: 64, known: 64, signed_in: 64 };

test('the hashing queue runs two jobs concurrently, queues a bounded number and refuses more', async () => {
  const queue = slowHasher(createHashQueue(wide));
  for (let n = 0; n < wide.open + 12; n += 1) void queue.add(`job ${n}`, '203.0.113.7');
  await settle();
  expect(queue.running).toHaveLength(2);
  expect(queue.refused).toHaveLength(10);
  let done = 0;
  for (; (await queue.finishOne()) !== undefined; done += 1)
    expect(queue.running.length).toBeLessThanOrEqual(2);
  expect(done).toBe(wide.open + 2);
});

test('the hashing queue leaves one core free for sends', () => {
  expect(QUEUE_SIZE.atOnce).toBeLessThan(Math.max(2, availableParallelism()));
});

test('the hashing queue never runs a third job, even when new ones arrive as one ends', async () => {
  const queue = createHashQueue(wide);
  const place = { room: 'open', client: clientOf({ ip: '203.0.113.7', headers: {} }) } as const;
  let running = 0;
  let most = 0;
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await settle();
    running -= 1;
  };
  const crowd = async () => {
    for (let n = 0; n < 20; n += 1) await queue.inTurn(place, work);
  };
  await Promise.all(Array.from({ length: 15 }, crowd));
  expect(most).toBe(2);
});

test.each([
  ['an IPv6 /32, each in a separate /48', (n: number) => `2001:db8:${n.toString(16)}::1`, '2001:dead::1'],
  [
    'an IPv6 /48, each in a separate /56',
    (n: number) => `2001:db8:1:${(n * 256).toString(16)}::1`,
    '2001:db8:2::1',
  ],
  [
    'an IPv6 /56, each in a separate /64',
    (n: number) => `2001:db8:1:${n.toString(16)}::1`,
    '2001:db8:1:ff00::1',
  ],
  ['an IPv6 /64', (n: number) => `2001:db8:1:1::${n.toString(16)}`, '2001:db8:1:2::1'],
  ['an IPv4 /16, each in a separate /24', (n: number) => `203.0.${n}.1`, '198.51.100.1'],
  ['an IPv4 /24', (n: number) => `203.0.113.${n}`, '203.0.114.1'],
  ['one IPv4 address', () => '203.0.113.7', '203.0.113.8'],
])('the hashing queue serves a new network second while it is full from %s', async (_, attacker, other) => {
  const queue = slowHasher(createHashQueue(small));
  for (let n = 0; n < 100; n += 1) void queue.add('attacker', attacker(n));
  void queue.add('stranger', other);
  for (let n = 100; n < 200; n += 1) void queue.add('attacker', attacker(n));
  await settle();
  expect(queue.refused).not.toContain('stranger');
  const order = [await queue.finishOne(), await queue.finishOne(), await queue.finishOne()];
  expect(order).toContain('stranger');
});

test('equally full networks take turns in the hashing queue, and a new network displaces none of them', async () => {
  const queue = slowHasher(createHashQueue(small));
  void queue.add('first', '203.0.113.1');
  for (let n = 0; n < 8; n += 1) void queue.add(`network ${n}`, `10.${n}.0.1`);
  void queue.add('newcomer', '10.200.0.1');
  await settle();
  expect(queue.refused).toEqual(['newcomer']);
  await queue.finishOne();
  for (let n = 0; n < 8; n += 1) expect(await queue.finishOne()).toBe(`network ${n}`);
});

test('the hashing queue reserves space for known networks and serves them first', async () => {
  const queue = slowHasher(createHashQueue(small));
  for (let n = 0; n < 200; n += 1) void queue.add('attacker', `10.${n}.0.1`);
  void queue.add('owner', '203.0.113.7', 'known');
  await settle();
  expect(queue.refused).not.toContain('owner');
  expect(await queue.finishOne()).toBe('attacker');
  expect(await queue.finishOne()).toBe('owner');
});

test('the hashing queue shares the reserved space fairly and never starves unknown networks', async () => {
  const queue = slowHasher(createHashQueue(small));
  void queue.add('first', '192.0.2.1');
  void queue.add('stranger', '192.0.2.2');
  for (let n = 0; n < 20; n += 1) void queue.add('greedy', `10.1.${n}.1`, 'known');
  void queue.add('owner', '203.0.113.7', 'known');
  await settle();
  const order: (string | undefined)[] = [];
  for (let n = 0; n < 6; n += 1) order.push(await queue.finishOne());
  expect(order.slice(0, 5)).toContain('owner');
  expect(order.slice(0, 5)).toContain('stranger');
});

test('an account with many known networks displaces no other account in the reserved space of the hashing queue', async () => {
  const queue = slowHasher(createHashQueue(small));
  void queue.add('first', '192.0.2.1');
  for (let n = 0; n < 20; n += 1) void queue.add('greedy', `${20 + n}.1.1.1`, 'known');
  void queue.add('owner', '203.0.113.7', 'known');
  await settle();
  expect(queue.refused).not.toContain('owner');
  await queue.finishOne();
  expect([await queue.finishOne(), await queue.finishOne(), await queue.finishOne()]).toContain('owner');
});

test('the hashing queue holds one waiting job per signed-in account and refuses the next one', async () => {
  const queue = slowHasher(createHashQueue(small));
  void queue.add('alice', '203.0.113.7', 'signed_in');
  for (let n = 0; n < 5; n += 1) void queue.add('alice', `10.${n}.0.1`, 'signed_in');
  void queue.add('bob', '203.0.113.7', 'signed_in');
  await settle();
  expect(queue.refused).toEqual(Array(4).fill('alice'));
  expect([await queue.finishOne(), await queue.finishOne(), await queue.finishOne()].sort()).toEqual([
    'alice',
    'alice',
    'bob',
  ]);
  void queue.add('alice', '203.0.113.7', 'signed_in');
  void queue.add('alice', '203.0.113.7', 'signed_in');
  await settle();
  expect(queue.refused).toHaveLength(4);
});

test.each(['known', 'signed_in'] as const)(
  'the hashing queue serves an occasional account before the accounts that flood the room "%s"',
  async (room) => {
    const queue = slowHasher(createHashQueue(small));
    const flood = () => {
      for (let n = 0; n < 40; n += 1) void queue.add(`attacker ${n}`, `${20 + n}.0.0.1`, room);
    };
    flood();
    flood();
    for (let n = 0; n < 5; n += 1) {
      void queue.add('owner', '203.0.113.7', room);
      flood();
      await settle();
      await queue.finishOne();
      expect(queue.running.map(({ name }) => name)).toEqual(['owner']);
      await queue.finishOne();
    }
    expect(queue.refused).not.toContain('owner');
  },
);

test.each(['known', 'signed_in'] as const)(
  'the hashing queue forgets the requests of an account in the room "%s" after those of many others',
  async (room) => {
    const queue = slowHasher(createHashQueue(small));
    void queue.add('first', '192.0.2.1', room);
    for (let n = 0; n < 50; n += 1) void queue.add('alice', '203.0.113.7', room);
    for (let n = 0; n < 4_096; n += 1) void queue.add('bob', '203.0.113.8', room);
    await settle();
    void queue.add('alice', '203.0.113.7', room);
    await settle();
    await queue.finishOne();
    expect(queue.running.map(({ name }) => name)).toEqual(['alice']);
  },
);

test.each(['known', 'signed_in', 'open'] as const)(
  'the hashing queue gives the room "%s" at least every fourth job while the other rooms are crowded',
  async (room) => {
    const queue = slowHasher(createHashQueue(small));
    void queue.add('first', '192.0.2.1');
    const crowded = (['known', 'signed_in', 'open'] as const).filter((other) => other !== room);
    const crowd = () => {
      for (const other of crowded)
        for (let n = 0; n < 30; n += 1) void queue.add(`crowd ${n}`, `10.${n}.0.1`, other);
    };
    crowd();
    void queue.add('owner', '203.0.113.7', room);
    await settle();
    await queue.finishOne();
    const order: (string | undefined)[] = [];
    for (let n = 0; n < 4; n += 1) {
      order.push(await queue.finishOne());
      crowd();
    }
    expect(order).toContain('owner');
    expect(queue.refused).not.toContain('owner');
    if (room === 'known') expect(order.indexOf('owner')).toBeLessThan(2);
  },
);

test('the hashing queue keeps no data of finished jobs', async () => {
  const queue = slowHasher(createHashQueue(small));
  for (let round = 0; round < 3; round += 1) {
    for (let n = 0; n < 50; n += 1) void queue.add('job', `2001:db8:${n.toString(16)}::1`);
    await settle();
    let done = 0;
    for (; (await queue.finishOne()) !== undefined; ) done += 1;
    expect(done).toBe(small.atOnce + small.open);
  }
});

test('the hashing queue continues after a failed job', async () => {
  const queue = createHashQueue();
  const place = { room: 'open', client: clientOf({ ip: '203.0.113.7', headers: {} }) } as const;
  const fail = () => Promise.reject(new Error('broken'));
  for (let n = 0; n < 5; n += 1) await expect(queue.inTurn(place, fail)).rejects.toThrow('broken');
  expect(await queue.inTurn(place, async () => 'fine')).toBe('fine');
});
