import { listBlocks } from '@sixdigit/contract/protection/protection.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { type Customer, testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
import { blockedPrefixStore } from './blocked-prefixes.ts';
import { type Objection, objectionStore } from './decision.ts';
import { addObjections, endBlocks } from './exchange-queries.ts';
import { mailBlocks } from './mails.ts';
import { readDeploymentRules } from './protection.ts';

const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));
const bob = fixture(() => service.customer('Bob'));

interface Blocked {
  by?: Customer;
  rule?: string;
  prefix?: string;
  hoursAgo?: number;
  blocked?: number;
  monitored?: number;
}

const note = (given: Blocked) =>
  service.app.db.run(
    `insert into protection_blocks (account_id, hour, rule, scope, prefix, country, client, blocked, monitored, first_at, last_at)
     values ($1, floor(extract(epoch from clock_now()) / 3600)::integer - $2, $3, 'account', $4, 'US', '', $5, $6,
       clock_now() - make_interval(hours => $2), clock_now() - make_interval(hours => $2))`,
    [
      (given.by ?? alice).account_id,
      given.hoursAgo ?? 0,
      given.rule ?? 'prefix_velocity',
      given.prefix ?? '+1415555',
      given.blocked ?? 0,
      given.monitored ?? 0,
    ],
  );
const noted = async (all: readonly Blocked[]) => {
  await service.app.db.run('delete from protection_blocks');
  for (const one of all) await note(one);
};
const blocksOf = async (customer: Customer) =>
  (await service.call(listBlocks, { bearer: await signedIn(service, customer) })).body;

test('an account sees its blocks of the last 24 hours by prefix, the latest first', async () => {
  await noted([
    { prefix: '+1212', hoursAgo: 2, blocked: 50 },
    { prefix: '+1415555', hoursAgo: 0, blocked: 3, monitored: 1 },
    { prefix: '+1415555', hoursAgo: 23, blocked: 2, monitored: 4 },
    { prefix: '+1999', hoursAgo: 24, blocked: 7, monitored: 7 },
    { by: bob, prefix: '+1888', blocked: 9 },
  ]);
  expect(await blocksOf(alice)).toMatchObject({
    blocked: 55,
    monitored: 5,
    results: [
      { prefix: '+1415555', blocked: 5, monitored: 5 },
      { prefix: '+1212', blocked: 50, monitored: 0 },
    ],
  });
});

test('a row of blocks covers the time of all of them, in whatever order processes write them', async () => {
  const subject = {
    account_id: alice.account_id,
    hour: 491_000,
    rule: 'prefix_velocity',
    scope: 'account',
    prefix: '+1415555',
    country: 'US',
    client: '198.51.100.7',
  } as const;
  await service.app.db.run('delete from protection_blocks');
  for (const [blocked, monitored, first_ms, last_ms] of [
    [1, 10, 200, 300],
    [2, 20, 100, 400],
    [3, 30, 240, 250],
  ] as const)
    await service.app.db.transaction((tx) =>
      addObjections(tx, [{ ...subject, blocked, monitored, first_ms, last_ms }]),
    );
  expect(
    await service.app.db.rows(
      `select blocked, monitored, extract(milliseconds from first_at)::integer as first, extract(milliseconds from last_at)::integer as last
       from protection_blocks`,
    ),
  ).toEqual([{ blocked: 6, monitored: 60, first: 100, last: 400 }]);
});

test.each([
  ['prefix', '+1415', ['+1416555 US', '+3361234 FR']],
  ['country', 'US', ['+1415556 CA', '+3361234 FR']],
  ['number', '+14155551234', ['+1415556 CA', '+1416555 US', '+3361234 FR']],
  ['number', '+1415555123', ['+1415555 US', '+1415556 CA', '+1416555 US', '+3361234 FR']],
  ['address', '198.51.100.7', ['+1415555 US', '+1415556 CA', '+1416555 US', '+3361234 FR']],
])(
  'allowing the %s %s ends the blocks of the prefixes that it covers, in its account only',
  async (kind, value, left) => {
    const { db } = service.app;
    await db.run('delete from blocked_prefixes');
    for (const { account_id } of [alice, bob])
      await db.run(
        `insert into blocked_prefixes (account_id, prefix, country, rule, blocked_until, changed_at)
       select $1, split_part(p, ' ', 1), split_part(p, ' ', 2), 'prefix_velocity', clock_now() + interval '1 hour', clock_now()
       from unnest($2::text[]) p`,
        [account_id, ['+1415555 US', '+1415556 CA', '+1416555 US', '+3361234 FR']],
      );
    await db.transaction((tx) => endBlocks(tx, alice.account_id, { kind, value }));
    const blocked = async ({ account_id }: Customer) =>
      (
        await db.rows<{ p: string }>(
          `select prefix || ' ' || country as p from blocked_prefixes where account_id = $1 and blocked_until > clock_now() order by 1`,
          [account_id],
        )
      ).map(({ p }) => p);
    expect(await blocked(alice)).toEqual(left);
    expect(await blocked(bob)).toHaveLength(4);
  },
);

test('of more than a hundred prefixes, an account sees the most frequent', async () => {
  await noted(Array.from({ length: 102 }, (_, n) => ({ prefix: `+1${200 + n}`, blocked: n, monitored: 1 })));
  const { results } = await blocksOf(alice);
  expect(results.map(({ blocked }) => blocked).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 100 }, (_, n) => n + 2),
  );
});

test('operators see the blocks of all accounts, most frequent first, with the number of accounts and prefixes', async () => {
  await noted([
    { rule: 'client_velocity', prefix: '+1212', blocked: 1, monitored: 3 },
    { prefix: '+1415555', blocked: 2 },
    { prefix: '+1415555', hoursAgo: 23, blocked: 2 },
    { prefix: '+1415556', blocked: 1, monitored: 2 },
    { by: bob, prefix: '+1415555', blocked: 1 },
    { by: bob, prefix: '+1415555', hoursAgo: 24, blocked: 100 },
  ]);
  const { blocked, monitored, blocks } = await readDeploymentRules(service.app.db, service.app);
  expect({ blocked, monitored }).toEqual({ blocked: 7, monitored: 5 });
  expect(blocks).toMatchObject([
    { rule: 'prefix_velocity', accounts: 2, prefixes: 2, blocked: 6, monitored: 2 },
    { rule: 'client_velocity', accounts: 1, prefixes: 1, blocked: 1, monitored: 3 },
  ]);
});

const OF = 'account';
const NOW = 29_000_000;
const country = (first: number, count: number, until = NOW + 720) =>
  Array.from({ length: count }, (_, n) => ({ of: OF, prefix: `+1415${first + n}`, country: 'US', until }));

function counting() {
  const store = blockedPrefixStore();
  let additions = 0;
  const sum = (now: number) =>
    store.share(OF, 'US', now, (share) => {
      additions += 1;
      share.day += 1;
    }).day;
  return { store, sum, additions: () => additions };
}

test('a block is written once a minute per prefix and when it begins, not for every send', () => {
  const { store, sum, additions } = counting();
  for (const block of country(1_000, 500)) store.set(block);
  for (let send = 0; send < 1_000; send += 1) expect(sum(NOW)).toBe(500);
  expect(additions()).toBe(500);
  for (const block of country(5_000, 3)) {
    store.set(block);
    sum(NOW);
  }
  expect(sum(NOW)).toBe(503);
  expect(additions()).toBe(503);
  expect(sum(NOW + 1)).toBe(503);
  expect(additions()).toBe(1_006);
});

test('blocks that end, repeat or expire are counted correctly', () => {
  const { store, sum } = counting();
  for (const block of country(1_000, 4)) store.set(block);
  expect(sum(NOW)).toBe(4);
  for (const block of country(1_000, 4)) store.set(block);
  expect(sum(NOW)).toBe(4);
  for (const block of country(1_000, 1, 0)) store.set(block);
  expect(sum(NOW)).toBe(3);
  for (const block of country(1_001, 1, NOW + 2)) store.set(block);
  expect(sum(NOW)).toBe(3);
  expect(sum(NOW + 2)).toBe(2);
  store.clean(NOW + 720);
  expect(sum(NOW + 720)).toBe(0);
});

const subject = (prefix: string) => ({
  account_id: '01a205ca-4eae-76ec-a8ec-60f877f1a7d8',
  hour: 498_720,
  rule: 'prefix_velocity' as const,
  scope: 'account' as const,
  prefix,
  country: 'US',
  client: '',
});
const now_ms = Date.UTC(2026, 10, 23);

test('objections to a prefix are merged; the result is released after 3 seconds if a send was blocked, after 15 if it was only monitored', () => {
  const store = objectionStore();
  const atMs = performance.now();
  store.add(subject('+1415200'), { now_ms, isBlocked: false });
  store.add(subject('+1415201'), { now_ms, isBlocked: false });
  store.add(subject('+1415201'), { now_ms: now_ms + 1, isBlocked: true });
  expect(store.take({ atMs: atMs + 2_999 })).toEqual([]);
  expect(store.take({ atMs: performance.now() + 3_000 })).toEqual([
    { ...subject('+1415201'), blocked: 1, monitored: 1, first_ms: now_ms, last_ms: now_ms + 1 },
  ]);
  expect(store.take({ atMs: atMs + 14_999 })).toEqual([]);
  expect(store.take({ atMs: performance.now() + 15_000 })).toMatchObject([
    { prefix: '+1415200', blocked: 0, monitored: 1 },
  ]);
  expect(store.take('all')).toEqual([]);
});

test('an attack on many prefixes is written in parts, blocked sends first', () => {
  const store = objectionStore();
  for (let n = 0; n < 400; n++) store.add(subject(`+1415${n}`), { now_ms, isBlocked: n >= 300 });
  const atMs = performance.now() + 15_000;
  const first = store.take({ atMs });
  expect(first).toHaveLength(250);
  expect(first.slice(0, 100).every(({ blocked }) => blocked === 1)).toBe(true);
  expect(first[100]).toMatchObject({ prefix: '+14150', blocked: 0 });
  expect(store.take({ atMs })).toHaveLength(150);
});

test('objections collected during a long database outage take bounded memory', () => {
  const store = objectionStore();
  for (let n = 0; n < 20_001; n++) store.add(subject(`+1415${n}`), { now_ms, isBlocked: true });
  expect(store.take('all')).toHaveLength(20_000);
});

test('an account gets mails about blocks by its own rules: one a day for each prefix or country, and at most twenty', async () => {
  const { app, clock } = service;
  let made = 0;
  const blocked = ({ account_id }: Customer, given: Partial<Objection> = {}): Objection => ({
    ...{ ...subject(`+1415${100 + ++made}`), blocked: 1, monitored: 0, first_ms: 0, last_ms: 0 },
    ...{ account_id, ...given },
  });
  const mailsAfter = async (objections: readonly Objection[]) => {
    const hasMailed = await app.db.transaction((tx) => mailBlocks(tx, app, objections));
    await service.drain();
    const inboxes = await Promise.all([alice, bob].map(({ email }) => service.inbox(email)));
    return [hasMailed, ...inboxes.map((mails) => mails.length)];
  };
  const silent = [
    ...([{ blocked: 0 }, { scope: 'deployment' }, { client: '192.0.2.7' }] as const),
    ...(['country', 'deny_list', 'client_velocity'] as const).map((rule) => ({ rule })),
  ];
  expect(await mailsAfter(silent.map((given) => blocked(alice, given)))).toEqual([false, 0, 0]);
  const some = [
    ...[blocked(alice), blocked(alice, { rule: 'prefix_conversion' }), blocked(bob, { prefix: '+1415999' })],
    ...[1, 2].map(() => blocked(alice, { rule: 'country_unverified', country: 'CA' })),
  ];
  expect(await mailsAfter(some)).toEqual([true, 3, 1]);
  const subjects = (await service.inbox(alice.email)).map((mail) => mail.subject).join();
  for (const destination of ['+1415107', '+1415108', 'CA']) expect(subjects).toContain(destination);
  expect(await mailsAfter(some)).toEqual([false, 3, 1]);
  const many = Array.from({ length: 30 }, () => blocked(alice));
  expect(await mailsAfter([...many, blocked(bob)])).toEqual([true, 20, 2]);
  // The inbox of the sandbox forgets the first day.
  await clock.advance(86_400_000);
  expect(await mailsAfter(some)).toEqual([true, 3, 1]);
});
