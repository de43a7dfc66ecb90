import { RULES, type Rule, type Scope } from '@sixdigit/contract/protection/protection.ts';
import { expect, test } from 'vitest';
import { explained } from './check.ts';
import { clientOf } from './destination.ts';
import { createGuard } from './guard.ts';
import { policyOf, type RuleChanges } from './policy.ts';
import { DEPLOYMENT } from './queries.ts';

test('a check lists only the limits that are exceeded, and names what a derived limit follows', () => {
  const guard = createGuard({ sandbox: false });
  const off = Object.fromEntries(RULES.map((rule) => [rule, { mode: 'off' as const }]));
  const rules = { ...off, client_unverified: { mode: 'enforce' as const, limit: 60, percent: 25 } };
  guard.setPolicy('alice', policyOf({ rules, allow: [], deny: [] }, { sandbox: false }));
  const to = { number: '+14155550100', prefix: '+1415555', country: 'US', ...clientOf('192.0.2.7') };
  const now_ms = Date.UTC(2026, 0, 20, 12);
  const traffic = { ...to, account_id: 'alice' };
  for (let n = 0; n < 12; n++)
    for (const event of ['sent', 'unverified'] as const)
      guard.record({ ...traffic, recipient: `${n}` }, event, now_ms);
  const decision = guard.explain({ account_id: 'alice', to, recipient: 'new', now_ms });
  const { rules: findings } = explained({ channel: 'sms', recipient: to.number, to, known: false }, decision);
  expect(findings.find(({ rule }) => rule === 'client_unverified')?.explanation).toBe(
    'Exceeded: 12 of 10 unverified sends from the IP address in an hour (a sixth of the daily limit, at least 5).',
  );
});

test('a check explains why a rule does not refuse a send although its limit is reached', () => {
  const guard = createGuard({ sandbox: false });
  const policy = (changes: RuleChanges, scope: 'account' | 'deployment') =>
    policyOf({ rules: changes, allow: [], deny: [] }, { sandbox: false, scope });
  guard.setPolicy('alice', policy({}, 'account'));
  guard.setPolicy(DEPLOYMENT, policy({ prefix_velocity: { limit: 2 } }, 'deployment'));
  const to = { number: '+14155550100', prefix: '+1415555', country: 'US', ...clientOf('192.0.2.7') };
  const now_ms = Date.UTC(2026, 0, 20, 12);
  for (let n = 0; n < 6; n++) {
    const past = { account_id: 'alice', prefix: `+1212${n}`, country: 'US', client: null, recipient: `${n}` };
    for (const event of ['sent', 'unverified'] as const) guard.record(past, event, now_ms);
    guard.record({ ...past, account_id: 'bob', prefix: to.prefix }, 'sent', now_ms);
  }
  const decision = guard.explain({ account_id: 'alice', to, recipient: 'new', now_ms });
  const { rules } = explained({ channel: 'sms', recipient: to.number, to, known: false }, decision);
  const explanationOf = (rule: Rule, scope: Scope) =>
    rules.find((one) => one.rule === rule && one.scope === scope)?.explanation;
  expect(explanationOf('country_unverified', 'account')).toMatch(
    /^A limit is reached, but nothing about this number is suspicious: 6 of 20 unverified/,
  );
  expect(explanationOf('prefix_velocity', 'deployment')).toBe(
    'The limit over all accounts is reached, but not by this account: 6 of 2 sends to the prefix in 10 minutes.',
  );
  expect(explanationOf('prefix_velocity', 'account')).toMatch(/^Within its limits: /);
});
