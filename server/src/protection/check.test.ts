import { RULES } from '@sixdigit/contract/protection/protection.ts';
import { expect, test } from 'vitest';
import { explained } from './check.ts';
import { clientOf } from './destination.ts';
import { createGuard } from './guard.ts';
import { policyOf } from './policy.ts';

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
