import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { testService } from '../../../test/service.ts';
import * as limits from '../limits.ts';
import { keepPace, reserve, throttle } from '../limits.ts';
import { clientOf } from '../sessions/client.ts';

const service = fixture(testService);

const three = { name: 'three', most: 3, seconds: 60 };
const attempt = (...subjects: string[]) => reserve(service.app, [throttle(three, ...subjects)]);

test('no two rate limits share a count', () => {
  const names = Object.values(limits).flatMap((one) =>
    typeof one === 'object' && 'name' in one ? [one.name] : [],
  );
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test('a rate limit is exact under parallel requests', async () => {
  const results = await Promise.allSettled(Array.from({ length: 40 }, () => attempt('crowd')));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
});

test('a rate limit resets at the end of its window and states that time', async () => {
  for (let n = 0; n < 3; n += 1) await attempt('again');
  await service.clock.advance(20_000);
  const refused = await attempt('again').catch((error) => error);
  expect(refused.reason).toBe('too_many_requests');
  expect(refused.facts.retry_after).toBeGreaterThan(35);
  expect(refused.facts.retry_after).toBeLessThanOrEqual(40);
  await service.clock.advance(refused.facts.retry_after * 1_000);
  await expect(attempt('again')).resolves.toBeDefined();
});

test('units returned to a rate limit do not count', async () => {
  for (let n = 0; n < 10; n += 1) await (await attempt('back')).release();
  await expect(attempt('back')).resolves.toBeDefined();
});

test('a request refused by one of two rate limits counts in neither', async () => {
  for (let n = 0; n < 3; n += 1) await attempt('full');
  const both = () => reserve(service.app, [throttle(three, 'empty'), throttle(three, 'full')]);
  for (let n = 0; n < 5; n += 1) await expect(both()).rejects.toThrow();
  for (let n = 0; n < 3; n += 1) await attempt('empty');
});

test('a rate limit stores no readable addresses or names, and is deleted when it ends', async () => {
  await attempt('alice@people.test', '203.0.113.7');
  const { row } = await service.app.db.one<{ row: string }>(
    `select string_agg(t::text, ' ') as row from throttles t`,
  );
  expect(row).not.toContain('alice');
  expect(row).not.toContain(Buffer.from('alice').toString('hex'));
  await service.clock.advance(61_000);
  await service.drain({ keepHouse: true });
  expect(await service.app.db.one('select count(*) from throttles')).toEqual({ count: 0 });
});

const pace = { name: 'pace', burst: 3, everySeconds: 60 };
const keep = (subject: string) => keepPace(service.app, pace, subject);

test('a paced limit allows a burst, then one request per interval, even under parallel requests', async () => {
  const first = await Promise.all(Array.from({ length: 20 }, () => keep('crowd')));
  expect(first.filter(Boolean)).toHaveLength(3);
  for (let n = 0; n < 3; n += 1) {
    await service.clock.advance(60_000);
    const next = await Promise.all(Array.from({ length: 5 }, () => keep('crowd')));
    expect(next.filter(Boolean)).toHaveLength(1);
  }
  await service.clock.advance(180_000);
  expect((await Promise.all(Array.from({ length: 20 }, () => keep('crowd')))).filter(Boolean)).toHaveLength(
    3,
  );
});

test('units returned to a paced limit do not count', async () => {
  for (let n = 0; n < 6; n += 1) await (await keep('back'))?.release();
  for (let n = 0; n < 3; n += 1) expect(await keep('back')).toBeDefined();
  expect(await keep('back')).toBeUndefined();
});

const network = (ip: string) => clientOf({ ip, headers: {} }).network;

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['nonsense', 'unknown'],
])('a client at %s is rate-limited as %s', (ip, expected) => {
  expect(network(ip)).toBe(expected);
});

test.each([
  ['203.0.113.7', '203.0.113.0/24', ['203.0.0.0/16', '203.0.113.0/24', '203.0.113.7/32']],
  ['::ffff:203.0.113.7', '203.0.113.0/24', ['203.0.0.0/16', '203.0.113.0/24', '203.0.113.7/32']],
  [
    '2001:db8:1:2fe:3:4:5:6',
    '2001:db8:1:200::/56',
    ['2001:db8::/32', '2001:db8:1::/48', '2001:db8:1:200::/56', '2001:db8:1:2fe::/64'],
  ],
  ['nonsense', null, ['unknown']],
])(
  'a client at %s is recognized by its network and shares the queue with its neighbors',
  (ip, home, networks) => {
    expect(clientOf({ ip, headers: {} })).toMatchObject({ home, networks });
  },
);

test('a rate-limited client is stored as an address that the database can parse', () => {
  expect(clientOf({ ip: '::ffff:203.0.113.7', headers: { 'user-agent': 'a\u0000b' } })).toMatchObject({
    ip_address: '203.0.113.7',
    user_agent: 'a b',
  });
  expect(clientOf({ ip: 'fe80::1%eth0', headers: {} }).ip_address).toBe('fe80::1');
  expect(clientOf({ ip: 'nonsense', headers: {} })).toMatchObject({ ip_address: null, user_agent: null });
});
