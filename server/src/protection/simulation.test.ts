import { RULES } from '@sixdigit/contract/protection/protection.ts';
import { describe, expect, test } from 'vitest';
import { COUNTRIES, type Country, DAY, HOUR, simulation } from '../../test/pumping.ts';
import { policyOf } from './policy.ts';

/** 1,000 users an hour in ten countries. The day of the attack follows a day of history. */
const USERS_AN_HOUR = 1_000;
const ONE = ['shop'];
const FIFTY = Array.from({ length: 50 }, (_, n) => `shop ${n}`);
const country = (code: string): Country => COUNTRIES.find((one) => one.code === code) as Country;
const percent = (part: number, whole: number): string =>
  `${((100 * part) / Math.max(1, whole)).toFixed(2)} %`;

interface Attack {
  accounts?: readonly string[];
  count: number;
  span: number;
  send: Parameters<ReturnType<typeof simulation>['attack']>[0]['send'];
}

interface Run {
  seed: number;
  /** the share of known users */
  known?: number;
  exempts?: boolean;
  /** from the begin of the attack */
  measured?: number;
}

function under(
  { accounts = ONE, count, span, send }: Attack,
  { seed, known = 0, measured = DAY, ...options }: Run,
) {
  const run = simulation(seed, options);
  const begin = run.nowMs() + DAY + 9 * HOUR;
  run.users({ accounts, perHour: USERS_AN_HOUR, end: begin + DAY, known });
  run.attack({ count, span, from: begin, send });
  run.run(begin);
  run.measure();
  run.run(begin + measured);
  const { attacks, legitimate, known: knownUsers } = run;
  const through = (attacks.sends - attacks.blocked) / Math.max(1, attacks.sends);
  const lost = legitimate.blocked / legitimate.sends;
  return { through, lost, attacks, legitimate, knownUsers };
}

const only = (n: number) => ({ account_id: 'shop', country: country('FR'), prefix: 700_000 + n });

/** [name, the maximum share of the attack that may get through, the attack] */
const ATTACKS: [string, number, Attack][] = [
  ['10,000 sends into three prefixes', 0.02, { count: 10_000, span: HOUR, send: (n) => only(n % 3) }],
  ['10,000 sends into 200 prefixes', 0.05, { count: 10_000, span: HOUR, send: (n) => only((n * 7) % 200) }],
  [
    '40 sends an hour into three prefixes for a day',
    0.15,
    { count: 960, span: DAY, send: (n) => only(n % 3) },
  ],
  [
    '40 sends an hour into ten prefixes for a day',
    0.15,
    { count: 960, span: DAY, send: (n) => only(n % 10) },
  ],
  [
    '10,000 sends by one client',
    0.01,
    {
      count: 10_000,
      span: HOUR,
      send: (n) => ({
        account_id: 'shop',
        country: COUNTRIES[n % COUNTRIES.length] as Country,
        prefix: 700_000 + n,
        client: '192.0.2.66',
      }),
    },
  ],
  [
    '10,000 sends into three prefixes over 50 accounts',
    0.05,
    {
      accounts: FIFTY,
      count: 10_000,
      span: HOUR,
      send: (n) => ({ ...only(n % 3), account_id: FIFTY[n % 50] as string }),
    },
  ],
];

describe('beside 1,000 users an hour in ten countries', () => {
  test.each(ATTACKS)('the rules stop an attack of %s and serve the users', (name, most, attack) => {
    const { through, lost, attacks, legitimate } = under(attack, { seed: 42 });
    console.log(
      `${name}: ${percent(attacks.sends - attacks.blocked, attacks.sends)} got through; of ${legitimate.sends} sends of users ${legitimate.blocked} were blocked (${percent(legitimate.blocked, legitimate.sends)}) ${JSON.stringify([...legitimate.by])} ${JSON.stringify([...attacks.by])}`,
    );
    expect(through).toBeLessThanOrEqual(most);
    expect(lost).toBeLessThanOrEqual(0.001);
  });
});

test('of 60 % known users an attack on 200 prefixes blocks none, and it gets no more codes through', () => {
  const [, , attack] = ATTACKS[1] as (typeof ATTACKS)[number];
  const [before, after] = [false, true].map((exempts) => {
    const run = { seed: 42, known: 0.6, exempts, measured: 4 * HOUR };
    const { attacks, knownUsers } = under(attack, run);
    return { cost: attacks.sends - attacks.blocked, blocked: knownUsers.blocked };
  });
  expect(before?.blocked).toBeGreaterThan(0);
  expect(after?.blocked).toBe(0);
  expect(after?.cost).toBeLessThanOrEqual(1.1 * (before?.cost ?? 0));
});

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
  // The attackers also have ordinary users, so they look like any other account.
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
])(
  'over a day, %s causes at most one in a hundred codes of other accounts to be blocked',
  (name, attackers, perHour) => {
    const { lost, hours } = day(attackers, perHour);
    console.log(
      `${name}: ${(100 * lost).toFixed(2)} % of the others' codes to France were refused; by hour ${hours.join(' ')}`,
    );
    expect(lost).toBeLessThanOrEqual(0.01);
  },
);
