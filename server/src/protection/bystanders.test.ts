import { RULES } from '@sixdigit/contract/protection/protection.ts';
import { expect, test } from 'vitest';
import { COUNTRIES, type Country, DAY, HOUR, simulation } from '../../test/pumping.ts';
import { policyOf } from './policy.ts';

/**
 * A day of a customer who attacks the others through the rules over all accounts: it has switched its own rules off and sends into
 * prefixes of France, where the others' users are.
 */
const OTHERS = Array.from({ length: 8 }, (_, n) => `shop ${n}`);
const FRANCE = COUNTRIES.find(({ code }) => code === 'FR') as Country;
const OFF = Object.fromEntries(RULES.map((rule) => [rule, { mode: 'off' as const }]));

function day(attackers: readonly string[], perHour: number) {
  const run = simulation(11);
  const begin = run.nowMs() + DAY;
  for (const account_id of attackers)
    run.guard.setPolicy(account_id, policyOf({ rules: OFF, allow: [], deny: [] }, { sandbox: false }));
  run.users({ accounts: OTHERS, perHour: 600, end: begin + DAY });
  // The attackers' own users make them look like anybody else.
  run.users({ accounts: attackers, perHour: 60, end: begin, countries: [COUNTRIES[0] as Country] });
  run.attack({
    count: perHour * 24,
    span: DAY,
    from: begin,
    send: (n) => ({
      account_id: attackers[n % attackers.length] as string,
      country: FRANCE,
      prefix: (n * 7) % FRANCE.prefixes,
    }),
  });
  run.run(begin);
  const hours: string[] = [];
  let [sends, blocked] = [0, 0];
  for (let hour = 1; hour <= 24; hour++) {
    run.measure();
    run.run(begin + hour * HOUR);
    sends += run.toFrance.sends;
    blocked += run.toFrance.blocked;
    hours.push(((100 * run.toFrance.blocked) / Math.max(1, run.toFrance.sends)).toFixed(0));
  }
  return { lost: blocked / sends, hours };
}

test.each([
  ['one attacker', ['mallory'], 400],
  ['two attackers', ['mallory', 'trudy'], 400],
])('over a day, %s stops at most one in a hundred codes of the others', (name, attackers, perHour) => {
  const { lost, hours } = day(attackers, perHour);
  console.log(
    `${name}: ${(100 * lost).toFixed(2)} % of the others' codes to France were refused; by hour ${hours.join(' ')}`,
  );
  expect(lost).toBeLessThanOrEqual(0.01);
});
