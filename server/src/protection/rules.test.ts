import { type ListEntry, RULES, type Rule } from '@sixdigit/contract/protection/protection.ts';
import { expect, test } from 'vitest';
import { clientOf } from './destination.ts';
import { createGuard } from './guard.ts';
import { policyOf } from './policy.ts';
import { failuresNeeded } from './pumping.ts';
import { DEPLOYMENT } from './queries.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 0, 20, 12);

/** An account of a production deployment at a simulated time, without a database. */
function account({ learned = true }: { learned?: boolean } = {}) {
  const guard = createGuard({ sandbox: false });
  let now = START;
  let recipients = 0;
  const to = (
    prefix: string,
    country: string,
    client: string | null,
    number = `${prefix}${1000 + recipients++}`,
  ) => ({
    number,
    prefix,
    country,
    ...clientOf(client),
  });
  interface Given {
    prefix?: string;
    country?: string;
    client?: string | null;
    number?: string;
    has_own_code?: boolean;
  }
  const made = {
    guard,
    pass: (ms: number) => {
      now += ms;
    },
    /** Decides a send, and counts it if it is accepted. */
    send({ prefix = '+3361234', country = 'FR', client = null, number, has_own_code = false }: Given = {}) {
      const destination = to(prefix, country, client, number);
      const recipient = destination.number;
      const asked = { account_id: 'alice', to: destination, recipient, has_own_code, now_ms: now };
      const decision = guard.decide(asked);
      guard.note(asked, decision);
      const traffic = {
        account_id: 'alice',
        prefix,
        country,
        client: destination.client,
        recipient: destination.number,
        has_own_code,
      };
      if (decision.blocked_by.length === 0) guard.record(traffic, 'sent', now);
      return {
        ...decision,
        traffic,
        ends: (how: 'verified' | 'unverified') => guard.record(traffic, how, now),
      };
    },
    /** Sends of ordinary users, each to a prefix of its own, that were accepted earlier. */
    past(count: number, how: 'verified' | 'unverified', { country = 'FR', prefixes = 0 } = {}) {
      for (let n = 0; n < count; n++) {
        const prefix = prefixes > 0 ? `+337${n % prefixes}` : `+338${recipients}`;
        const traffic = {
          account_id: 'alice',
          prefix,
          country,
          client: null,
          recipient: `past ${recipients++}`,
        };
        guard.record(traffic, 'sent', now);
        guard.record(traffic, how, now);
      }
    },
    /** Switches off all other rules, also those over all accounts. */
    only(rule: Rule, changes: object = {}) {
      const off = Object.fromEntries(RULES.map((one) => [one, { mode: 'off' as const }]));
      const nothing = { allow: [], deny: [] };
      const options = { sandbox: false } as const;
      guard.setPolicy(
        'alice',
        policyOf({ ...nothing, rules: { ...off, [rule]: { mode: 'enforce', ...changes } } }, options),
      );
      guard.setPolicy(DEPLOYMENT, policyOf({ ...nothing, rules: off }, { ...options, scope: 'deployment' }));
    },
  };
  if (learned) {
    now = START - DAY;
    made.past(200, 'verified', { country: 'CA' });
    now = START;
  }
  return made;
}

const at = (ms: number) => new Date(START + ms).toISOString();
const entry = (kind: ListEntry['kind'], value: string, expires_at: string | null = null): ListEntry => ({
  kind,
  value,
  expires_at,
  note: null,
  created_at: at(-HOUR),
});
const set = (
  alice: ReturnType<typeof account>,
  scope: 'account' | 'deployment',
  lists: { allow?: ListEntry[]; deny?: ListEntry[]; rules?: Parameters<typeof policyOf>[0]['rules'] },
) =>
  alice.guard.setPolicy(
    scope === 'account' ? 'alice' : DEPLOYMENT,
    policyOf({ rules: {}, allow: [], deny: [], ...lists }, { sandbox: false, scope }),
  );

test('deny lists take precedence over allow lists, including the operator’s', () => {
  const alice = account();
  set(alice, 'account', { allow: [entry('prefix', '+33')] });
  set(alice, 'deployment', { deny: [entry('prefix', '+336')] });
  expect(alice.send()).toMatchObject({ blocked_by: ['deny_list'], listed: 'deny' });
  set(alice, 'account', { allow: [entry('number', '+33612341000')], deny: [entry('prefix', '+336')] });
  set(alice, 'deployment', {});
  expect(alice.send({ number: '+33612341000' })).toMatchObject({ blocked_by: ['deny_list'] });
});

test('an account’s lists do not override the operator’s rules', () => {
  const alice = account();
  set(alice, 'account', { allow: [entry('prefix', '+336')] });
  set(alice, 'deployment', { rules: { prefix_velocity: { mode: 'enforce', limit: 2 } } });
  expect([alice.send(), alice.send(), alice.send()].map(({ blocked_by }) => blocked_by)).toEqual([
    [],
    [],
    ['prefix_velocity'],
  ]);
});

test('list entries stop applying at their expiry, including networks', () => {
  const alice = account();
  const deny = [entry('prefix', '+336', at(HOUR)), entry('address', '198.51.100.0/24', at(2 * HOUR))];
  set(alice, 'account', { deny });
  const client = '198.51.100.7';
  expect(alice.send().blocked_by).toEqual(['deny_list']);
  alice.pass(HOUR);
  expect(alice.send().blocked_by).toEqual([]);
  expect(alice.send({ client }).blocked_by).toEqual(['deny_list']);
  alice.pass(HOUR);
  expect(alice.send({ client }).blocked_by).toEqual([]);
});

test('an allowed country is exempt from country rules only, an allowed prefix from all rules', () => {
  const alice = account();
  alice.only('prefix_velocity', { limit: 1 });
  const { rules } = alice.guard.policyOf('alice');
  const allowing = (kind: ListEntry['kind'], value: string) =>
    set(alice, 'account', { rules, allow: [entry(kind, value)] });
  allowing('country', 'FR');
  expect([alice.send().blocked_by, alice.send().blocked_by]).toEqual([[], ['prefix_velocity']]);
  allowing('prefix', '+336');
  expect(alice.send().blocked_by).toEqual([]);
  alice.only('country', { countries: ['US'] });
  const only = alice.guard.policyOf('alice').rules;
  set(alice, 'account', { rules: only, allow: [entry('country', 'FR')] });
  expect(alice.send().blocked_by).toEqual([]);
});

test('the addresses of one IPv6 /64 count as one client', () => {
  const alice = account();
  alice.only('client_velocity');
  for (let n = 0; n < 3; n++) expect(alice.send({ client: `2001:db8::${n + 1}` }).blocked_by).toEqual([]);
  expect(alice.send({ client: '2001:db8::ffff' }).blocked_by).toEqual(['client_velocity']);
  expect(alice.send({ client: '2001:db8:0:1::1' }).blocked_by).toEqual([]);
});

test('a send to a country that the account does not allow is blocked', () => {
  const alice = account();
  alice.only('country', { countries: ['US'] });
  expect(alice.send({ country: 'FR' })).toMatchObject({ blocked_by: ['country'], until_ms: null });
  expect(alice.send({ country: 'US', prefix: '+1415555' }).blocked_by).toEqual([]);
});

test('a send that a temporary and an endless rule block is blocked until someone changes a rule', () => {
  const alice = account();
  const country = { mode: 'enforce' as const, countries: ['US'] };
  const prefix_velocity = { mode: 'enforce', limit: 1 } as const;
  set(alice, 'account', { rules: { prefix_velocity } });
  alice.send();
  expect(alice.send().until_ms).toBeGreaterThan(START);
  set(alice, 'account', { rules: { prefix_velocity, country } });
  expect(alice.send()).toMatchObject({ blocked_by: ['country', 'prefix_velocity'], until_ms: null });
});

test('a rule blocks the 31st send to a prefix in ten minutes, until the window has room', () => {
  const alice = account();
  alice.only('prefix_velocity');
  for (let n = 0; n < 30; n++) expect(alice.send().blocked_by).toEqual([]);
  const blocked = alice.send();
  expect(blocked.blocked_by).toEqual(['prefix_velocity']);
  expect(alice.send({ prefix: '+3361235' }).blocked_by).toEqual([]);
  alice.pass((blocked.until_ms ?? 0) - START);
  expect(alice.send().blocked_by).toEqual([]);
});

test('a rule blocks the fourth number of a client in ten minutes, and its eleventh send', () => {
  const alice = account();
  alice.only('client_velocity');
  const client = '198.51.100.7';
  const numbers = ['+33612340001', '+33612340002', '+33612340003'];
  for (let n = 0; n < 10; n++)
    expect(alice.send({ client, number: numbers[n % 3] as string }).blocked_by).toEqual([]);
  expect(alice.send({ client, number: numbers[0] as string }).blocked_by).toEqual(['client_velocity']);
  const other = account();
  other.only('client_velocity');
  for (const number of numbers) other.send({ client, number });
  expect(other.send({ client }).blocked_by).toEqual(['client_velocity']);
  expect(other.send({ client: '198.51.100.8' }).blocked_by).toEqual([]);
  other.pass(11 * MINUTE);
  expect(other.send({ client }).blocked_by).toEqual([]);
});

test('a client waits until one of its last numbers is ten minutes old, in whatever order processes count them', () => {
  const alice = account();
  alice.only('client_velocity', { limit: 100 });
  const client = '198.51.100.7';
  const traffic = { account_id: 'alice', prefix: '+3361234', country: 'FR', client };
  for (const ago of [0, 5, 2])
    alice.guard.record({ ...traffic, recipient: `${ago}` }, 'sent', START - ago * MINUTE);
  expect(alice.send({ client })).toMatchObject({
    blocked_by: ['client_velocity'],
    until_ms: START + 6 * MINUTE,
  });
});

test('a rule blocks a client with five unverified codes in an hour or ten in a day, unless it verifies many', () => {
  const alice = account();
  alice.only('client_unverified');
  const client = '198.51.100.7';
  const sent = () => alice.send({ client }).blocked_by;
  for (let n = 0; n < 5; n++) expect(sent()).toEqual([]);
  expect(sent()).toEqual(['client_unverified']);
  alice.pass(61 * MINUTE);
  for (let n = 0; n < 5; n++) expect(sent()).toEqual([]);
  alice.pass(61 * MINUTE);
  expect(sent()).toEqual(['client_unverified']);
  const office = account();
  office.only('client_unverified');
  for (let n = 0; n < 80; n++) office.send({ client }).ends('verified');
  for (let n = 0; n < 5; n++) expect(office.send({ client }).blocked_by).toEqual([]);
});

test('a rule blocks a client’s fourth country without a verified code', () => {
  const alice = account();
  alice.only('client_countries');
  const client = '198.51.100.7';
  alice.send({ client, country: 'US', prefix: '+1415555' }).ends('verified');
  for (const country of ['FR', 'DE', 'ES']) expect(alice.send({ client, country }).blocked_by).toEqual([]);
  expect(alice.send({ client, country: 'EG' })).toMatchObject({
    blocked_by: ['client_countries'],
    until_ms: START + DAY + MINUTE,
  });
  expect(alice.send({ client, country: 'DE' }).blocked_by).toEqual([]);
  expect(alice.send({ client, country: 'US', prefix: '+1415555' }).blocked_by).toEqual([]);
  alice.pass(DAY + MINUTE);
  expect(alice.send({ client, country: 'EG' }).blocked_by).toEqual([]);
});

test('a rule blocks a prefix with unverified codes for twelve hours', () => {
  const alice = account();
  alice.only('prefix_conversion');
  for (let n = 0; n < 20; n++) alice.send().ends('unverified');
  const blocked = alice.send();
  expect(blocked).toMatchObject({ blocked_by: ['prefix_conversion'], until_ms: START + 12 * HOUR });
  alice.pass(11 * HOUR);
  expect(alice.send().blocked_by).toEqual(['prefix_conversion']);
  expect(alice.send({ prefix: '+3361235' }).blocked_by).toEqual([]);
});

test('repeated sends to one recipient do not block a prefix', () => {
  const alice = account();
  alice.only('prefix_conversion');
  for (let n = 0; n < 40; n++) alice.send({ number: '+33612340001' }).ends('unverified');
  expect(alice.send().blocked_by).toEqual([]);
});

test.each([
  ['an hour', 5, 0],
  ['a day', 20, 20 * MINUTE],
])(
  'a rule blocks only the prefixes of a country that exceed its budget of %s, and no longer counts them',
  (_, limit, pause) => {
    const alice = account();
    alice.only('country_unverified');
    for (let n = 0; n < limit; n++) {
      expect(alice.send().blocked_by).toEqual([]);
      alice.pass(pause);
    }
    expect(alice.send().blocked_by).toEqual(['country_unverified']);
    for (let n = 0; n < 3; n++) expect(alice.send({ prefix: '+3361235' }).blocked_by).toEqual([]);
    expect(alice.send({ country: 'CA', prefix: '+1613555' }).blocked_by).toEqual([]);
  },
);

test('sends that another rule blocked do not count against their prefix', () => {
  const alice = account();
  const quiet = { prefix: '+3361299' };
  alice.only('client_velocity', { limit: 1 });
  const client = '198.51.100.7';
  expect(alice.send({ ...quiet, client }).blocked_by).toEqual([]);
  for (let n = 0; n < 3; n++)
    expect(alice.send({ ...quiet, client }).blocked_by).toEqual(['client_velocity']);
  alice.only('country_unverified');
  for (let n = 0; n < 20; n++) alice.send();
  expect(alice.send().blocked_by).toEqual(['country_unverified']);
  expect(alice.send(quiet).blocked_by).toEqual([]);
});

test('the conversion rules block nothing until an account has verified a fifth of 100 sends', () => {
  const newcomer = account({ learned: false });
  newcomer.only('prefix_conversion');
  for (let n = 0; n < 60; n++) newcomer.send().ends('unverified');
  const decision = newcomer.send();
  expect(decision).toMatchObject({ blocked_by: [], is_learning: true });
  expect(decision.monitored.map(({ rule }) => rule)).toContain('prefix_conversion');
});

test.each([
  [undefined, undefined],
  [0.6, 13],
  [0.8, 8],
  [0.99, 5],
  [0.1, 20],
])('with a usual conversion of %s, a rule needs %s failures in a row', (conversion, needed) => {
  expect(failuresNeeded(20, conversion)).toBe(needed);
});

/**
 * The scenarios that authgear publishes for its budgets: [name, best day of 14, verified in 24 hours, in the last hour, unverified
 * in 24 hours, in the last hour, whether the country is over its budget].
 */
const SCENARIOS: [string, number, number, number, number, number, boolean][] = [
  ['launch', 0, 300, 300, 20, 20, false],
  ['normal day', 1_000, 1_000, 200, 50, 10, false],
  ['spike of twice the normal', 1_000, 2_000, 400, 150, 30, false],
  ['attack on a quiet day', 1_000, 500, 100, 300, 60, true],
  ['attack during a spike', 1_000, 2_000, 400, 800, 200, true],
  ['launch, few sends', 0, 10, 10, 2, 2, false],
  ['normal day, few sends', 15, 12, 5, 5, 2, false],
  ['spike of twice the normal, few sends', 15, 30, 10, 5, 2, false],
  ['attack on a quiet day, few sends', 15, 7, 2, 35, 8, true],
  ['attack during a spike, few sends', 15, 30, 10, 50, 10, true],
];

test.each(SCENARIOS)(
  'the unverified-country budget decides the scenario "%s" correctly (best day %i)',
  (_, best, day, hour, badDay, badHour, isAttack) => {
    const alice = account();
    alice.only('country_unverified');
    alice.pass(-2 * DAY);
    alice.past(best, 'verified');
    alice.past(Math.round(best / 20), 'unverified');
    alice.pass(2 * DAY - 6 * HOUR);
    alice.past(day - hour, 'verified');
    alice.past(badDay - badHour, 'unverified', { prefixes: 10 });
    alice.pass(6 * HOUR);
    alice.past(hour, 'verified');
    alice.past(badHour, 'unverified', { prefixes: 10 });
    expect(alice.send({ prefix: '+3371' }).blocked_by).toEqual(isAttack ? ['country_unverified'] : []);
    // Users of other prefixes still get their codes.
    expect(alice.send({ prefix: '+3369999' }).blocked_by).toEqual([]);
  },
);

test('no rule that learns from verified codes refuses or counts a send of an own code; velocity does', () => {
  const alice = account();
  alice.only('prefix_conversion');
  for (let n = 0; n < 30; n++) alice.send().ends('unverified');
  expect(alice.send().blocked_by).toEqual(['prefix_conversion']);
  expect(alice.send({ has_own_code: true }).blocked_by).toEqual([]);

  const bob = account();
  for (let n = 0; n < 200; n++) {
    bob.pass(11 * MINUTE);
    expect(
      bob.send({ has_own_code: true, client: '198.51.100.1', country: n % 2 ? 'FR' : 'DE' }).blocked_by,
    ).toEqual([]);
  }
  bob.only('prefix_velocity', { limit: 20 });
  const refused = Array.from({ length: 40 }, () => bob.send({ has_own_code: true })).filter(
    ({ blocked_by }) => blocked_by.includes('prefix_velocity'),
  );
  expect(refused.length).toBeGreaterThan(0);
});
