import {
  CAMPAIGNS,
  playWorstDay,
  updateProtection,
  WORST_DAYS_PER_HOUR,
} from '@sixdigit/contract/protection/protection.ts';
import { updateSpend } from '@sixdigit/contract/spend.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { type Sender, sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { worstDay } from '../../protection/protection.ts';
import { factsOf, recentStarts } from './worst-day.ts';
import { planOf } from './worst-day-plan.ts';

const service = fixture(testService);
const alice = fixture(() => sender(service, 'Alice', { credits: 1_000 }));
const bob = fixture(() => sender(service, 'Bob', { credits: 1_000 }));

const bearerOf = (who: Sender) => signedIn(service, who);
const BURST = CAMPAIGNS.filter(({ name }) => name === 'Country burst').map((one) => ({ ...one, sends: 400 }));

const playedFor = async ({ account_id }: Sender) =>
  worstDay(planOf(await factsOf(service.app, account_id, { seed: 1, campaigns: BURST })));

test('the call plays all campaigns against the account’s settings and sends, once for concurrent calls', async () => {
  await alice.sent('+14155552001');
  const { status, body } = await service.call(playWorstDay, { bearer: await bearerOf(alice), body: {} });
  expect(status).toBe(200);
  expect(body.campaigns.map(({ name }) => name)).toEqual(CAMPAIGNS.map(({ name }) => name));
  expect(body).toMatchObject({ seed: 1, shape: { countries: 1, is_learning: true } });
  expect(body.without_rules_cents).toBe(3_000 * 2);
  const bearer = await bearerOf(alice);
  const play = () => service.call(playWorstDay, { bearer, body: {} });
  const together = await Promise.all(Array.from({ length: WORST_DAYS_PER_HOUR + 1 }, play));
  expect(new Set(together.map((one) => one.status))).toEqual(new Set([200]));
  const bad = await service.call(playWorstDay, { bearer: await bearerOf(alice), body: { seed: -1 } });
  expect(bad.status).toBe(400);
});

test('another account’s sends, rules and limits change nothing', async () => {
  const before = await playedFor(alice);
  await bob.sent('+14155552002');
  const bearer = await bearerOf(bob);
  await service.call(updateProtection, {
    bearer,
    body: { rules: { prefix_velocity: { mode: 'enforce', limit: 5 } } },
  });
  await service.call(updateSpend, { bearer, body: { daily_credit_limit: 3, monthly_credit_limit: null } });
  const { campaigns, changes } = await playedFor(alice);
  expect({ campaigns, changes }).toEqual({ campaigns: before.campaigns, changes: before.changes });
  expect((await playedFor(bob)).cost_cents).toBe(3 * 2);
});

test('a spend limit bounds the cost, and its exhaustion refuses the users of the rest of the day', async () => {
  const carol = await sender(service, 'Carol', { credits: 1_000 });
  for (let n = 0; n < 9; n++) await carol.sent(`+1415555${3_000 + n}`);
  const limit = (daily_credit_limit: number | null) =>
    bearerOf(carol).then((bearer) =>
      service.call(updateSpend, { bearer, body: { daily_credit_limit, monthly_credit_limit: null } }),
    );
  await limit(null);
  const free = await playedFor(carol);
  await limit(20);
  const limited = await playedFor(carol);
  expect(limited.cost_cents).toBeLessThanOrEqual(20 * 2);
  expect(limited.cost_cents).toBeLessThan(free.cost_cents);
  expect(limited.campaigns[0]?.refused_by.map(({ by }) => by)).toContain('spend_limit');
});

test('an account starts a limited number of days within an hour, whatever another one does', () => {
  const starts = recentStarts(2);
  const hour = 3_600_000;
  starts.note('alice', 0);
  starts.note('bob', 1);
  starts.note('alice', 60_000);
  expect(() => starts.note('alice', hour - 1)).toThrow(
    expect.objectContaining({ reason: 'too_many_requests' }),
  );
  starts.note('bob', hour - 1);
  starts.note('alice', hour);
  expect(() => starts.note('alice', hour + 59_999)).toThrow();
  starts.note('alice', hour + 60_000);
});
