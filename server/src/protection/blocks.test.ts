import { listBlocks } from '@sixdigit/contract/protection/protection.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { type Customer, testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
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

test('an account sees its own blocks of the last 24 hours, those of one prefix as one, the latest first', async () => {
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

test('of more than a hundred prefixes, an account sees the most frequent', async () => {
  await noted(Array.from({ length: 102 }, (_, n) => ({ prefix: `+1${200 + n}`, blocked: n, monitored: 1 })));
  const { results } = await blocksOf(alice);
  expect(results.map(({ blocked }) => blocked).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 100 }, (_, n) => n + 2),
  );
});

test('operators see the blocks of all accounts, the most frequent first, with how many accounts and prefixes', async () => {
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
