import {
  CAMPAIGNS,
  type Campaign,
  type CountedRule,
  RULES,
} from '@sixdigit/contract/protection/protection.ts';
import { describe, expect, test, vi } from 'vitest';
import { createGuard } from '../guard.ts';
import { type Policy, policyOf, type RuleChanges } from '../policy.ts';
import { inDay } from '../series.ts';
import { dayOf, OWN } from './events.ts';
import { play, type Settings } from './play.ts';
import { DEFAULT_SHAPE, type Shape, shapeOf } from './shape.ts';
import { DAY, EXPIRY, type Gate, HOUR, seeded, traffic } from './traffic.ts';
import { rulesOf, type WorstDayPlan, worstDay } from './worst-day.ts';

const DAY_MS = Date.UTC(2026, 0, 5);
const SMALL: Shape = { ...DEFAULT_SHAPE, sends_per_day: 480 };
const OFF = Object.fromEntries(RULES.map((rule) => [rule, { mode: 'off' as const }]));
const NO_GATE: Gate = { sendsToday: () => 0, refusal: () => undefined, charge: () => undefined };

const campaign = (name: string): Campaign => CAMPAIGNS.find((one) => one.name === name) as Campaign;
const policy = (rules: RuleChanges, scope: 'account' | 'deployment' = 'account'): Policy =>
  policyOf({ rules, allow: [], deny: [] }, { sandbox: false, scope });

const settings = (given: Partial<Settings>): Settings => ({
  policy: policy(OFF),
  deployment: policy(OFF, 'deployment'),
  daily_credit_limit: null,
  is_trusted: false,
  ...given,
});

function played(of: Campaign, given: Partial<Settings>, { shape = SMALL, seed = 1 } = {}) {
  const day = dayOf({ campaign: of, shape, target: 'US', seed, day_ms: DAY_MS });
  return play({ campaign: of, shape, day, day_ms: DAY_MS, settings: settings(given), gate: NO_GATE });
}

const plan = (given: Partial<WorstDayPlan> = {}): WorstDayPlan => {
  const { bounds, ...rules } = rulesOf({ own: undefined, operators: undefined, sandbox: false });
  return {
    campaigns: CAMPAIGNS,
    seed: 1,
    now: new Date(DAY_MS),
    shape: SMALL,
    settings: { ...rules, daily_credit_limit: null, is_trusted: false },
    bounds,
    allowed_countries: SMALL.countries.map(({ code }) => code),
    costOf: () => 1,
    base_price_cents: 2,
    with_changes: true,
    gateOf: () => NO_GATE,
    ...given,
  };
};

test('the same seed gives the same worst day, and another seed other figures', () => {
  const small = { campaigns: [campaign('Slow drip')], with_changes: false };
  const first = worstDay(plan(small));
  expect(worstDay(plan(small))).toEqual(first);
  expect(worstDay(plan({ ...small, seed: 2 })).campaigns).not.toEqual(first.campaigns);
});

describe('without rules', () => {
  test.each(CAMPAIGNS.map((one) => [one.name, one] as const))(
    '%s gets every message through and refuses no user',
    (_, one) => {
      expect(played(one, {})).toMatchObject({
        got_through: Math.ceil(one.sends / one.accounts),
        users_refused: 0,
      });
    },
  );
});

/** The rules that address each campaign. */
const ADDRESSED: [string, CountedRule, ...CountedRule[]][] = [
  ['Country burst', 'prefix_conversion', 'country_unverified'],
  ['Prefix walk', 'prefix_conversion', 'country_unverified'],
  ['Slow drip', 'prefix_conversion', 'country_unverified'],
  ['Rented numbers', 'country_unverified'],
  ['Many accounts', 'country_unverified'],
  ['Stolen known numbers', 'client_unverified'],
];
const CASES = ADDRESSED.flatMap(([name, ...rules]) => rules.map((rule) => [rule, name] as const));

describe('with one rule of the account', () => {
  test.each(CASES)('%s lets fewer messages of the campaign %s through', (rule, name) => {
    const of = campaign(name);
    const all = Math.ceil(of.sends / of.accounts);
    const { got_through, refused_by } = played(of, {
      policy: policy({ ...OFF, [rule]: { mode: 'enforce' } }),
    });
    expect(got_through).toBeLessThan(0.95 * all);
    expect(refused_by.get(rule)).toBe(all - got_through);
    const monitored = played(of, { policy: policy({ ...OFF, [rule]: { mode: 'monitor' } }) });
    expect(monitored.got_through).toBe(all);
  });
});

test('the rules over all accounts stop an attack on many accounts that each account’s own rules let through', () => {
  const of = campaign('Many accounts');
  const { got_through } = played(of, { deployment: policy({}, 'deployment') });
  expect(got_through).toBeLessThan((0.5 * of.sends) / of.accounts);
});

test('an account that the operator trusts pays the whole attack', () => {
  const of = campaign('Country burst');
  const trusted = { policy: policy({}), deployment: policy({}, 'deployment'), is_trusted: true };
  expect(played(of, trusted).got_through).toBe(of.sends);
});

test('an account without history pays what the learning rules only monitor', () => {
  const of = campaign('Slow drip');
  const { got_through } = played(of, { policy: policy({}) }, { shape: { ...SMALL, sends_per_day: 0 } });
  expect(got_through).toBe(of.sends);
});

test('known numbers stop passing when the exemption is off', () => {
  const of = campaign('Stolen known numbers');
  const rules = { ...OFF, country_unverified: { mode: 'enforce' as const } };
  const on = played(of, { policy: policy(rules) });
  const off = played(of, { policy: { ...policy(rules), known_days: 0 } });
  expect(on.got_through).toBe(of.sends);
  expect(off.got_through).toBeLessThan(on.got_through / 2);
});

test('a proposed change has the figure that a play with it gives', () => {
  const given = plan({ campaigns: [campaign('Prefix walk')] });
  const { changes, cost_cents } = worstDay(given);
  const change = changes.find(({ setting }) => setting === 'threshold');
  if (!change?.rule || !change.threshold) throw new Error('no threshold was proposed');
  expect(change.cost_cents).toBeLessThan(cost_cents);
  const { rules } = given.settings.policy;
  const changed = {
    ...rules,
    [change.rule]: { ...rules[change.rule], [change.threshold]: Number(change.after) },
  };
  const again = worstDay({
    ...given,
    settings: { ...given.settings, policy: { ...given.settings.policy, rules: changed } },
  });
  expect(again.cost_cents).toBe(change.cost_cents);
  expect(again.campaigns[0]?.users_refused).toBe(change.users_refused);
});

test('attackers choose the dearest allowed country, and the next one if it is forbidden', () => {
  const given = plan({
    campaigns: [{ ...campaign('Country burst'), sends: 50 }],
    with_changes: false,
    costOf: (country) => (country === 'EG' ? 9 : country === 'IN' ? 5 : 1),
  });
  const withCountries = (countries: string[] | null) => ({
    ...given.settings,
    policy: policy({ country: { mode: 'enforce', countries } }),
  });
  const attacked = (countries: string[] | null) =>
    worstDay({ ...given, settings: withCountries(countries) }).campaigns[0];
  expect(attacked(null)).toMatchObject({ country: 'EG', without_rules_cents: 50 * 9 * 2 });
  expect(attacked(['IN', 'US'])).toMatchObject({ country: 'IN' });
  expect(attacked([])).toMatchObject({ country: null, cost_cents: 0 });
  // The day after today is played.
  for (const [hours, country] of [
    [12, 'EG'],
    [36, 'IN'],
  ] as const) {
    const expires_at = new Date(DAY_MS + hours * HOUR).toISOString();
    const deny = [{ kind: 'country' as const, value: 'EG', note: null, created_at: '', expires_at }];
    const denying = policyOf({ rules: {}, allow: [], deny }, { sandbox: false });
    expect(
      worstDay({ ...given, settings: { ...given.settings, policy: denying } }).campaigns[0],
    ).toMatchObject({ country });
  }
  const anywhere = {
    ...given,
    allowed_countries: ['*', 'EG'],
    shape: { ...SMALL, sends_per_day: 0, countries: [] },
  };
  expect(worstDay(anywhere).campaigns[0]).toMatchObject({ country: 'EG' });
  expect(worstDay({ ...anywhere, allowed_countries: ['*'] }).campaigns[0]).toMatchObject({ country: 'US' });
});

test('an account whose rules are off gets the advice to enforce those that lower the cost most', () => {
  const given = plan({ campaigns: [campaign('Slow drip')], settings: settings({}) });
  const { changes, cost_cents, without_rules_cents } = worstDay(given);
  expect(cost_cents).toBe(without_rules_cents);
  expect(changes[0]).toMatchObject({ setting: 'mode', before: 'off', after: 'enforce' });
  expect(changes.map(({ rule }) => rule)).toEqual(['country_unverified', null, 'prefix_conversion']);
  const costs = changes.map((change) => change.cost_cents);
  expect(costs).toEqual(costs.toSorted((a, b) => a - b));
});

test('simulated events run in the order of their times, and none before its time', () => {
  const random = seeded(1);
  const sends = traffic({ guard: createGuard({ sandbox: false, isReplay: true }), now: DAY_MS });
  const times = Array.from({ length: 200 }, () => DAY_MS + Math.floor(random() * HOUR));
  const ran: number[] = [];
  for (const at of times) sends.at(at, () => ran.push(sends.nowMs()));
  const sorted = times.toSorted((a, b) => a - b);
  for (const until of [DAY_MS + HOUR / 2, DAY_MS + HOUR]) {
    sends.run(until);
    expect(ran).toEqual(sorted.filter((at) => at <= until));
  }
});

test('a send that stands for others counts as all of them for its account and country, and once for its prefix', () => {
  const guard = createGuard({ sandbox: false, isReplay: true });
  const sends = traffic({ guard, now: DAY_MS });
  const to = { country: 'US', prefix: '+US1100000', line: '0001', client: null, is_known: false };
  sends.submit({ ...to, account_id: OWN, verified_after_ms: 0, weight: 5 });
  sends.run(DAY_MS);
  const sentOf = (kind: 'account' | 'country' | 'prefix', key: string) => {
    const series = guard.counters.find(OWN, kind, key);
    return [inDay(series, 'sent', DAY_MS / 60_000), inDay(series, 'verified', DAY_MS / 60_000)];
  };
  expect([sentOf('account', ''), sentOf('country', 'US'), sentOf('prefix', to.prefix)]).toEqual([
    [5, 5],
    [5, 5],
    [1, 1],
  ]);
});

test('the played requests of users stand for all of a day', () => {
  for (const sends_per_day of [30, 480, 24_000, 2_000_000]) {
    const shape = { ...DEFAULT_SHAPE, sends_per_day };
    const { events } = dayOf({
      campaign: campaign('Country burst'),
      shape,
      target: 'US',
      seed: 1,
      day_ms: DAY_MS,
    });
    const times = events.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const users = events.filter(({ isAttack }) => !isAttack);
    const standFor = users.reduce((sum, { send }) => sum + (send.weight ?? 1), 0);
    expect(users.length).toBeLessThan(1_400);
    expect(Math.abs(standFor / sends_per_day - 1)).toBeLessThan(0.15);
  }
});

test('a send that is refused without asking the rules would also be refused by them', () => {
  // Each prefix is tried again after its block.
  const of = { ...campaign('Prefix walk'), order: 'spread' as const };
  const guard = createGuard({ sandbox: false, isReplay: true });
  guard.setPolicy(OWN, policy({ prefix_conversion: { hours: 1 } }));
  const past = { account_id: OWN, prefix: '+US1555', country: 'US', client: null };
  for (let n = 0; n < 200; n++)
    for (const event of ['sent', 'verified'] as const) guard.record(past, event, DAY_MS);
  const sends = traffic({ guard, now: DAY_MS });
  const decide = vi.spyOn(guard, 'decide');
  const { events } = dayOf({ campaign: of, shape: SMALL, target: 'US', seed: 1, day_ms: DAY_MS });
  let refused = 0;
  for (const { at, send } of events) {
    sends.run(at);
    const { account_id, prefix, country, client, line } = send;
    const number = `${prefix}${line}`;
    const decision = guard.decide({
      account_id,
      to: { number, prefix, country, address: client, client },
      recipient: number,
      now_ms: at,
    });
    const isRefused = sends.submit({ ...send, is_known: false }).length > 0;
    expect(isRefused).toBe(decision.blocked_by.length > 0);
    if (isRefused) refused += 1;
  }
  expect(refused).toBeGreaterThan(100);
  expect(decide.mock.calls.length).toBeLessThan(2 * events.length - 100);
});

/** What a generator that yields often returns. */
function finished<T>(steps: Generator<void, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

test('a shape counts an account’s sends of the last 30 days by hour and country', () => {
  const now = new Date(DAY_MS + 12 * HOUR);
  const send = (n: number, ago: number, given: object = {}) => ({
    id: `${n}`,
    number: `+1415555${String(n).padStart(4, '0')}`,
    country: 'US',
    client_ip: '203.0.113.7',
    sent_ms: now.getTime() - ago,
    has_own_code: false,
    known: null,
    end: { event: 'verified' as const, at_ms: now.getTime() - ago + EXPIRY },
    ...given,
  });
  const sends = [
    send(1, 40 * DAY),
    send(2, 3 * DAY, { number: '+4915112345678', country: 'DE', known: 'verified' }),
    send(3, 2 * DAY, { end: { event: 'void', at_ms: 0 } }),
    send(4, 2 * DAY, { number: null }),
    send(5, 2 * HOUR, { client_ip: '10.0.0.1' }),
    send(6, HOUR, { end: { event: 'unverified', at_ms: now.getTime() } }),
    send(7, HOUR, { number: '+436641234567', country: 'AT', end: null }),
  ];
  const shape = finished(shapeOf({ sends, limited_by: null }, now));
  expect(shape).toMatchObject({ sends_per_day: 4 / 30, with_client: 3 / 4 });
  expect(shape.hours.map((share, hour) => [hour, share]).filter(([, share]) => share !== 0)).toEqual([
    [10, 1 / 4],
    [11, 1 / 2],
    [12, 1 / 4],
  ]);
  expect(shape.countries).toEqual([
    { code: 'US', share: 1 / 2, conversion: 0.5, known: 0, prefixes: 1 },
    { code: 'AT', share: 1 / 4, conversion: 0, known: 0, prefixes: 1 },
    { code: 'DE', share: 1 / 4, conversion: 1, known: 1, prefixes: 1 },
  ]);
  // Of a busy account, only the newest sends are read.
  expect(finished(shapeOf({ sends: sends.slice(4), limited_by: 'sends' }, now)).sends_per_day).toBe(3);
});
