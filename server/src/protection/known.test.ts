import { type CountedRule, RULES, type Rule } from '@sixdigit/contract/protection/protection.ts';
import { expect, test } from 'vitest';
import type { Asked } from './decision.ts';
import { clientOf } from './destination.ts';
import { deltaOf, storedOf } from './exchange-queries.ts';
import { createGuard, type Guard } from './guard.ts';
import { type KnownRecipient, mergedKnown, passingRecipient } from './known.ts';
import { policyOf } from './policy.ts';
import { DEPLOYMENT } from './queries.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 0, 20, 12);
const NUMBER = '+33612341111';
const PREFIX = '+3361234';
const CLIENT = '192.0.2.7';

const known = (given: Partial<KnownRecipient> = {}): KnownRecipient => ({
  known_on: '2026-01-10',
  verified_ms: NOW - 2 * DAY,
  is_imported: false,
  ...given,
});
const IMPORTED = known({ verified_ms: null, is_imported: true });
const NEW = known({ verified_ms: NOW - HOUR });

interface Traffic {
  n: number;
  at?: number;
  prefix?: string;
  country?: string;
  client?: string | null;
}
const send = (
  guard: Guard,
  { n, at = NOW, prefix = PREFIX, country = 'FR', client = null }: Traffic,
  end?: 'verified' | 'unverified',
) => {
  const traffic = { account_id: 'alice', prefix, country, client, recipient: `r${n}` };
  guard.record(traffic, 'sent', at);
  if (end) guard.record(traffic, end, at);
};

/** Makes one rule refuse the next unknown number of the prefix. */
const FILL: Record<CountedRule, (guard: Guard, times: number) => void> = {
  prefix_velocity: (guard, times) => {
    for (let n = 0; n < 30 * times; n++) send(guard, { n });
  },
  client_velocity: (guard, times) => {
    for (let n = 0; n < 10 * times; n++) send(guard, { n, client: CLIENT });
  },
  client_unverified: (guard, times) => {
    for (let n = 0; n < 10 * times; n++)
      send(guard, { n, client: CLIENT, at: NOW - 30 * 60_000 }, 'unverified');
  },
  client_countries: (guard, times) => {
    for (let n = 0; n < 3 * times; n++)
      send(
        guard,
        {
          n,
          client: CLIENT,
          prefix: `+4915${n}000`,
          country: ['DE', 'GB', 'ES', 'IT', 'NL', 'BE'][n] as string,
        },
        'unverified',
      );
  },
  prefix_conversion: (guard, times) => {
    for (let n = 0; n < 20 * times; n++) send(guard, { n, at: NOW - 30 * 60_000 }, 'unverified');
  },
  country_unverified: (guard, times) => {
    for (let n = 0; n < 90 * times; n++)
      send(guard, { n, at: NOW - 2 * HOUR, prefix: `+3367${n}000` }, 'unverified');
  },
};

/** A guard with one rule, of the account or over all accounts. */
function withRule(rule: Rule, scope: 'account' | 'deployment', changes: object = {}): Guard {
  const guard = createGuard({ sandbox: false });
  for (let n = 0; n < 200; n++)
    send(guard, { n, at: NOW - DAY - HOUR, prefix: `+1${n}`, country: 'CA' }, 'verified');
  const off = Object.fromEntries(RULES.map((one) => [one, { mode: 'off' as const }]));
  for (const [of, one] of [
    ['alice', 'account'],
    [DEPLOYMENT, 'deployment'],
  ] as const) {
    const rules = one === scope ? { ...off, [rule]: { mode: 'enforce' as const, ...changes } } : off;
    guard.setPolicy(of, policyOf({ rules, allow: [], deny: [] }, { sandbox: false, scope: one }));
  }
  return guard;
}

const asked = (given: Partial<Asked> = {}): Asked => ({
  account_id: 'alice',
  to: { number: NUMBER, prefix: PREFIX, country: 'FR', ...clientOf(CLIENT) },
  recipient: 'own',
  now_ms: NOW,
  ...given,
});

const PASSED = ['client_countries', 'prefix_velocity', 'prefix_conversion', 'country_unverified'];

test.each(
  Object.keys(FILL).flatMap((rule) =>
    (['account', 'deployment'] as const).map((scope) => [rule as keyof typeof FILL, scope] as const),
  ),
)(
  '%s of the %s refuses an unknown number, and a known one only if the rule is about the client',
  (rule, scope) => {
    const guard = withRule(rule, scope);
    FILL[rule](guard, scope === 'account' ? 1 : rule === 'client_countries' ? 2 : 5);
    const blocked = (recipient: KnownRecipient | undefined) =>
      guard.decide(asked({ known: recipient })).blocked_by;
    const refused = PASSED.includes(rule) ? [] : [rule];
    expect(blocked(undefined)).toEqual([rule]);
    expect(blocked(known())).toEqual(refused);
    expect(blocked(NEW)).toEqual(refused);
    // The account's own word does not override the rules over all accounts.
    expect(blocked(IMPORTED)).toEqual(scope === 'account' ? refused : [rule]);
  },
);

test('the allowed countries and the deny lists refuse a known number', () => {
  const guard = withRule('country', 'account', { countries: ['US'] });
  expect(guard.decide(asked({ known: known() })).blocked_by).toEqual(['country']);
  for (const owner of ['alice', DEPLOYMENT]) {
    const denying = withRule('prefix_velocity', 'account');
    const deny = [{ kind: 'prefix', value: PREFIX, note: null, created_at: '', expires_at: null } as const];
    denying.setPolicy(owner, policyOf({ rules: {}, allow: [], deny }, { sandbox: false }));
    expect(denying.decide(asked({ known: known() })).blocked_by).toEqual(['deny_list']);
  }
});

test('a number that has just become known does not pass in a prefix with many such numbers', () => {
  const guard = withRule('prefix_velocity', 'account');
  FILL.prefix_velocity(guard, 1);
  for (let n = 0; n < 4; n++) send(guard, { n: 100 + n, at: NOW - HOUR }, 'verified');
  expect(guard.decide(asked({ known: NEW })).blocked_by).toEqual(['prefix_velocity']);
  expect(guard.decide(asked({ known: known() })).blocked_by).toEqual([]);
});

test.each([
  ['is off', { known_days: 0, sends_today: 0 }, false],
  ['got five codes today', { known_days: 180, sends_today: 5 }, false],
  ['was known ten days ago, of nine', { known_days: 9, sends_today: 0 }, false],
  ['was known ten days ago, of ten', { known_days: 10, sends_today: 4 }, true],
])('a known number that %s passes or not', (_, standing, passes) => {
  expect(passingRecipient(known(), { ...standing, now_ms: NOW }) !== undefined).toBe(passes);
});

test('a recipient under two server keys is known from its first right code to its last day, and as imported', () => {
  const one = known({ known_on: '2026-01-12', verified_ms: NOW - DAY });
  const other = known({ known_on: '2026-01-11', verified_ms: NOW - 3 * DAY, is_imported: true });
  const merged = { known_on: '2026-01-12', verified_ms: NOW - 3 * DAY, is_imported: true };
  expect([mergedKnown([one, other]), mergedKnown([other, one])]).toEqual([merged, merged]);
});

test('sends to known numbers do not count for their prefix and country, in every process', () => {
  const guard = createGuard({ sandbox: false });
  const other = createGuard({ sandbox: false });
  const traffic = { account_id: 'alice', prefix: PREFIX, country: 'FR', client: CLIENT, recipient: 'own' };
  for (const how of ['verified', 'imported', null] as const)
    guard.record({ ...traffic, known: how }, 'sent', NOW);
  const minute = NOW / 60_000;
  for (const delta of guard.counters.takeDeltas()) other.counters.apply(deltaOf(storedOf(delta)), minute);
  for (const { counters } of [guard, other]) {
    const sent = (scope: string, kind: 'prefix' | 'country' | 'client' | 'account', key: string) =>
      counters.find(scope, kind, key)?.minutes[1];
    // Only the account believes in its imports.
    for (const [scope, count] of [
      ['alice', 1],
      [DEPLOYMENT, 2],
    ] as const)
      expect([sent(scope, 'prefix', PREFIX), sent(scope, 'country', 'FR')]).toEqual([count, count]);
    for (const scope of ['alice', DEPLOYMENT])
      expect([sent(scope, 'client', CLIENT), sent(scope, 'account', '')]).toEqual([3, 3]);
  }
});
