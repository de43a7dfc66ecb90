import { RULES, type Rule } from '@sixdigit/contract/protection/protection.ts';
import { describe, expect, test, vi } from 'vitest';
import { clientOf } from './destination.ts';
import { createGuard } from './guard.ts';
import { policyOf } from './policy.ts';
import { DEPLOYMENT } from './queries.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const START = Date.UTC(2026, 0, 20, 12);

interface Given {
  prefix?: string;
  country?: string;
  client?: string | null;
}

/** Many accounts under one deployment-wide rule. The accounts have switched off their own rules. */
function deployment(rule: Rule, changes: object = {}) {
  const guard = createGuard({ sandbox: false });
  const off = Object.fromEntries(RULES.map((one) => [one, { mode: 'off' as const }]));
  const nothing = { allow: [], deny: [] };
  const own = policyOf({ ...nothing, rules: off }, { sandbox: false });
  // Prefixes that a rule has blocked are refused by this one.
  const blocked = { mode: 'enforce' as const, limit: 1_000_000 };
  const all = { ...off, prefix_conversion: blocked, [rule]: { mode: 'enforce' as const, ...changes } };
  guard.setPolicy(DEPLOYMENT, policyOf({ ...nothing, rules: all }, { sandbox: false, scope: 'deployment' }));
  let now = START;
  let numbers = 0;
  const asked = (account_id: string, { prefix = '+3361234', country = 'FR', client = null }: Given) => {
    const recipient = `${prefix}${1_000 + numbers++}`;
    const to = { number: recipient, prefix, country, ...clientOf(client) };
    return { account_id, to, recipient, now_ms: now };
  };
  const made = {
    guard,
    pass: (ms: number) => {
      now += ms;
    },
    /** An account that verifies codes in another country and has therefore left the learning phase. */
    account(account_id: string) {
      guard.setPolicy(account_id, own);
      const traffic = { account_id, prefix: `+1613${account_id}`, country: 'CA', client: null };
      for (let n = 0; n < 110; n++)
        for (const event of ['sent', 'verified'] as const)
          guard.record({ ...traffic, recipient: `${n}` }, event, now - 5 * MINUTE);
      return account_id;
    },
    /** Sends until `count`, of which those that are accepted end as given. Returns how many were accepted. */
    sends(account_id: string, count: number, how: 'verified' | 'unverified' | undefined, given: Given = {}) {
      let accepted = 0;
      for (let n = 0; n < count; n++) {
        const one = asked(account_id, given);
        const decision = guard.decide(one);
        guard.note(one, decision);
        if (decision.blocked_by.length > 0) continue;
        accepted += 1;
        const { prefix, country, client } = one.to;
        const traffic = { account_id, prefix, country, client, recipient: one.recipient };
        guard.record(traffic, 'sent', now);
        if (how) guard.record(traffic, how, now);
      }
      return accepted;
    },
    isRefused: (account_id: string, given: Given = {}) =>
      guard.decide(asked(account_id, given)).blocked_by.length > 0,
  };
  return made;
}

const CLIENT = { client: '203.0.113.7' };
interface Budget {
  rule: Rule;
  limits: object;
  /** how the sends of the attack end */
  how?: 'unverified';
  /** where they go */
  where(n: number): Given;
  /** where another account wants to send */
  probe: Given;
  /** where the users of an account verified a code */
  home: Given;
}
const BUDGETS: Budget[] = [
  { rule: 'prefix_velocity', limits: { limit: 100 }, where: () => ({}), probe: {}, home: {} },
  {
    rule: 'prefix_conversion',
    limits: { limit: 50, percent: 5, hours: 12 },
    how: 'unverified',
    where: () => ({}),
    probe: {},
    home: {},
  },
  {
    rule: 'country_unverified',
    limits: { limit: 100, percent: 25 },
    how: 'unverified',
    where: (n) => ({ prefix: `+337${n % 61}` }),
    probe: { prefix: '+3370' },
    home: { prefix: '+3369999' },
  },
  {
    rule: 'client_velocity',
    limits: { limit: 40, recipients: 12 },
    where: (n) => ({ ...CLIENT, prefix: `+337${n}` }),
    probe: CLIENT,
    home: CLIENT,
  },
  {
    rule: 'client_unverified',
    limits: { limit: 30, percent: 25 },
    how: 'unverified',
    where: (n) => ({ ...CLIENT, prefix: `+337${n}` }),
    probe: CLIENT,
    home: CLIENT,
  },
  {
    rule: 'client_countries',
    limits: { limit: 6 },
    where: (n) => ({ ...CLIENT, country: `A${n}`, prefix: `+2${n}` }),
    probe: { ...CLIENT, country: 'XX' },
    home: { ...CLIENT, country: 'AL' },
  },
];

describe.each(BUDGETS)(
  'the budget of $rule over all accounts',
  ({ rule, limits, how, where, probe, home }) => {
    const attack = (service: ReturnType<typeof deployment>, accounts: readonly string[], count: number) => {
      for (let n = 0; n < count; n++)
        service.sends(accounts[n % accounts.length] as string, 1, how, where(n));
    };

    test('an account that fills a deployment-wide budget alone is refused alone', () => {
      const service = deployment(rule, limits);
      const [mallory, bob] = [service.account('mallory'), service.account('bob')];
      attack(service, [mallory], 1_000);
      expect(service.isRefused(mallory, probe)).toBe(true);
      expect(service.isRefused(bob, probe)).toBe(false);
    });

    test('two accounts that fill a deployment-wide budget are the only ones refused', () => {
      const service = deployment(rule, limits);
      const [mallory, trudy, bob] = ['mallory', 'trudy', 'bob'].map(service.account) as [
        string,
        string,
        string,
      ];
      attack(service, [mallory, trudy], 1_000);
      for (const one of [mallory, trudy]) expect(service.isRefused(one, probe)).toBe(true);
      expect(service.isRefused(bob, probe)).toBe(false);
    });

    test('four accounts that fill a deployment-wide budget are the only ones refused', () => {
      const service = deployment(rule, limits);
      const attackers = ['a', 'b', 'c', 'd'].map(service.account);
      const bob = service.account('bob');
      attack(service, attackers, 1_500);
      expect(service.isRefused(bob, probe)).toBe(false);
    });

    test('twelve accounts that fill a deployment-wide budget close it for all accounts without verified codes there', () => {
      const service = deployment(rule, limits);
      const attackers = Array.from({ length: 12 }, (_, n) => service.account(`a${n}`));
      const [bob, alice] = [service.account('bob'), service.account('alice')];
      service.sends(alice, 1, 'verified', home);
      attack(service, attackers, 2_000);
      expect(service.isRefused(bob, probe)).toBe(true);
      expect(service.isRefused(alice, probe)).toBe(false);
    });
  },
);

test.each(
  BUDGETS.filter(({ rule }) => !rule.startsWith('client')).flatMap((budget) => [
    { ...budget, verified: 'there', at: budget.probe },
    { ...budget, verified: 'elsewhere in the country', at: { prefix: '+3369999' } },
  ]),
)(
  'codes verified $verified in the last 14 days keep the budget of $rule open for an account, and older codes do not',
  ({ rule, limits, how, where, probe, at }) => {
    for (const [days, isRefused] of [
      [2, false],
      [13, false],
      [15, true],
    ] as const) {
      const service = deployment(rule, limits);
      const alice = service.account('alice');
      service.sends(alice, 1, 'verified', at);
      service.pass(days * DAY);
      service.account('alice');
      const attackers = Array.from({ length: 12 }, (_, n) => service.account(`a${n}`));
      for (let n = 0; n < 2_000; n++) service.sends(attackers[n % 12] as string, 1, how, where(n));
      expect(service.isRefused(alice, probe)).toBe(isRefused);
    }
  },
);

test('one account cannot block a prefix for all accounts, and its own block does not count against the country', () => {
  const service = deployment('country_unverified', { limit: 20, percent: 25 });
  const [mallory, bob] = [service.account('mallory'), service.account('bob')];
  service.sends(mallory, 100, 'unverified');
  expect(service.guard.takeNewBlocks()).toEqual([]);
  expect(service.isRefused(bob)).toBe(false);
  expect(service.sends(bob, 3, 'unverified', { prefix: '+3361235' })).toBe(3);
});

test('an account is refused only from its share of an exceeded budget on', () => {
  const service = deployment('prefix_velocity', { limit: 100 });
  const [mallory, bob] = [service.account('mallory'), service.account('bob')];
  service.sends(bob, 19, undefined);
  service.sends(mallory, 100, undefined);
  expect(service.isRefused(bob)).toBe(false);
  service.sends(bob, 1, undefined);
  expect(service.isRefused(bob)).toBe(true);
});

test('one account cannot close a budget with single sends of four other accounts', () => {
  const service = deployment('prefix_velocity', { limit: 100 });
  const [mallory, bob] = [service.account('mallory'), service.account('bob')];
  for (const other of ['a', 'b', 'c', 'd']) service.sends(service.account(other), 1, undefined);
  service.sends(mallory, 200, undefined);
  expect(service.isRefused(mallory)).toBe(true);
  expect(service.isRefused(bob)).toBe(false);
});

test('more accounts than a counter remembers still close a prefix, even if all of them are new', () => {
  const service = deployment('prefix_velocity', { limit: 400 });
  for (let n = 0; n < 400; n++) service.sends(`a${n}`, 1, undefined);
  expect(service.isRefused(service.account('bob'))).toBe(true);
});

test('an exceeded budget reads the counts of its accounts again only after it has grown', () => {
  const service = deployment('prefix_velocity', { limit: 400 });
  for (let n = 0; n < 600; n++) service.sends(service.account(`a${n % 200}`), 1, undefined);
  const bob = service.account('bob');
  const read = vi.spyOn(service.guard.counters, 'find');
  for (let n = 0; n < 50; n++) expect(service.isRefused(bob)).toBe(true);
  // Two hundred accounts at most once, and a few series of the sender at each send.
  expect(read.mock.calls.length).toBeLessThan(200 + 50 * 10);
  read.mockRestore();
});
