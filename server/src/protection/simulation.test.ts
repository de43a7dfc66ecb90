import { describe, expect, test } from 'vitest';
import { COUNTRIES, type Country, DAY, HOUR, simulation } from '../../test/pumping.ts';

/** 1,000 users an hour over ten countries. A day of history comes before the day of the attack. */
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

function under({ accounts = ONE, count, span, send }: Attack, seed: number) {
  const run = simulation(seed);
  const begin = run.nowMs() + DAY + 9 * HOUR;
  run.users({ accounts, perHour: USERS_AN_HOUR, end: begin + DAY });
  run.attack({ count, span, from: begin, send });
  run.run(begin);
  run.measure();
  run.run(begin + DAY);
  const { attacks, legitimate } = run;
  const through = (attacks.sends - attacks.blocked) / Math.max(1, attacks.sends);
  const lost = legitimate.blocked / legitimate.sends;
  return { through, lost, attacks, legitimate };
}

const only = (n: number) => ({ account_id: 'shop', country: country('FR'), prefix: 700_000 + n });

/** [name, the most of the attack that may get through, the attack] */
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
  test.each(ATTACKS)('%s: the attack is stopped and the users are served', (name, most, attack) => {
    const { through, lost, attacks, legitimate } = under(attack, 42);
    console.log(
      `${name}: ${percent(attacks.sends - attacks.blocked, attacks.sends)} got through; of ${legitimate.sends} sends of users ${legitimate.blocked} were blocked (${percent(legitimate.blocked, legitimate.sends)}) ${JSON.stringify([...legitimate.by])} ${JSON.stringify([...attacks.by])}`,
    );
    expect(through).toBeLessThanOrEqual(most);
    expect(lost).toBeLessThanOrEqual(0.001);
  });

  test('without an attack, the users are served', () => {
    const { lost, legitimate } = under({ count: 0, span: HOUR, send: () => only(0) }, 7);
    console.log(
      `no attack: ${legitimate.blocked} of ${legitimate.sends} blocked ${JSON.stringify([...legitimate.by])}`,
    );
    expect(lost).toBeLessThanOrEqual(0.001);
  });
});
