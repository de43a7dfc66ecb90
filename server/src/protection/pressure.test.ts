import { RULES } from '@sixdigit/contract/protection/protection.ts';
import { expect, test } from 'vitest';
import { createGuard } from './guard.ts';
import { policyOf } from './policy.ts';

const START = Date.UTC(2026, 0, 20, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const OFF = Object.fromEntries(RULES.map((rule) => [rule, { mode: 'off' as const }]));

/** An account with one rule on and a country of which codes were not entered. */
function under(rules: object, { failures = 0, sends = 0, deny = [] as string[] } = {}) {
  const guard = createGuard({ sandbox: false });
  const denied = deny.map((value) => ({
    kind: 'country' as const,
    value,
    note: null,
    created_at: '',
    expires_at: null,
  }));
  guard.setPolicy(
    'alice',
    policyOf({ rules: { ...OFF, ...rules }, allow: [], deny: denied }, { sandbox: false }),
  );
  const traffic = (prefix: string, recipient: string) => ({
    ...{ account_id: 'alice', prefix, country: 'FR', client: null, recipient },
    has_own_code: false,
    known: undefined,
  });
  // The account has learned from a country that the tests do not ask for.
  for (let n = 0; n < 120; n++) {
    const at = { ...traffic('+1415555', `us${n}`), country: 'US' };
    guard.record(at, 'sent', START);
    guard.record(at, 'verified', START);
  }
  for (let n = 0; n < failures; n++) {
    const at = traffic(`+3361${n}`, `fr${n}`);
    const hour = START - (n % 10) * HOUR;
    guard.record(at, 'sent', hour);
    guard.record(at, 'unverified', hour);
  }
  for (let n = 0; n < sends; n++) guard.record(traffic('+3399', `s${n}`), 'sent', START + MINUTE);
  const asked = {
    account_id: 'alice',
    to: { number: '+33990000', prefix: '+3399', country: 'FR', address: null, client: null },
    recipient: 'new',
    now_ms: START + 2 * MINUTE,
  };
  const outcome = (proof: 'given' | 'missing') => {
    const decision = guard.decide({ ...asked, proof });
    if (decision.blocked_by.length > 0) return decision.blocked_by[0];
    if (!decision.proof) return 'sent';
    return decision.proof.is_given ? 'proved' : 'challenged';
  };
  return { pressure: guard.pressureOf(asked), missing: outcome('missing'), given: outcome('given') };
}

const velocity = (mode: string) => ({ prefix_velocity: { mode, limit: 10 } });
const country = { country_unverified: { mode: 'enforce', limit: 20 } };

test.each([
  ['no traffic', under(velocity('enforce')), { pressure: 0, missing: 'sent', given: 'sent' }],
  [
    'a prefix at half its limit',
    under(velocity('enforce'), { sends: 5 }),
    { pressure: 0.5, missing: 'sent', given: 'sent' },
  ],
  [
    'a prefix at its limit',
    under(velocity('enforce'), { sends: 10 }),
    { pressure: 1, missing: 'challenged', given: 'proved' },
  ],
  [
    'a prefix at twice its limit',
    under(velocity('enforce'), { sends: 20 }),
    { pressure: 2, missing: 'prefix_velocity', given: 'prefix_velocity' },
  ],
  [
    'a rule that only monitors',
    under(velocity('monitor'), { sends: 10 }),
    { pressure: 0, missing: 'sent', given: 'sent' },
  ],
  [
    'a country over its budget, whose open prefixes get codes',
    under(country, { failures: 22 }),
    { missing: 'challenged', given: 'proved' },
  ],
  [
    'a country in an emergency, which no proof opens',
    under(country, { failures: 80 }),
    { missing: 'country_unverified', given: 'country_unverified' },
  ],
  [
    'a deny list',
    under(velocity('enforce'), { sends: 10, deny: ['FR'] }),
    { missing: 'deny_list', given: 'deny_list' },
  ],
  [
    'a country that is not allowed',
    under({ ...velocity('enforce'), country: { mode: 'enforce', countries: ['US'] } }, { sends: 10 }),
    { missing: 'country', given: 'country' },
  ],
])('a send with or without a proof is decided by the pressure of %s', (_, found, expected) => {
  expect(found).toMatchObject(expected);
});
