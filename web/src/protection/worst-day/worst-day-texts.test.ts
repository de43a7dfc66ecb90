import type { WorstDay, WorstDayChange } from '@sixdigit/contract/protection/protection.ts';
import { expect, test } from 'vitest';
import { changeOf, deploymentSummaryOf, summaryOf, usersText } from './worst-day-texts.ts';

const worst = {
  cost_cents: 4_014,
  without_rules_cents: 10_000,
  users_refused: 648,
  known_refused: 0,
  costliest: { name: 'Prefix walk', users_refused: 60 },
} as WorstDay;

const change = (given: Partial<WorstDayChange>): WorstDayChange => ({
  setting: 'threshold',
  rule: 'prefix_conversion',
  threshold: 'percent',
  before: '5',
  after: '40',
  cost_cents: 2_486,
  users_refused: 92,
  ...given,
});

test('the summary names the cost with the settings, without rules, and the refused users', () => {
  expect(summaryOf(worst)).toBe(
    'With your settings the worst day costs at most $40.14; without rules $100.00. It would have refused 648 requests of your real users, none of them known.',
  );
  expect(summaryOf({ ...worst, users_refused: 1, known_refused: 1 })).toContain(
    'refused 1 request of your real users, 1 of them known.',
  );
  expect(summaryOf({ ...worst, users_refused: 0 })).toContain('refused 0 requests of your real users.');
});

test('the summary of a deployment counts its accounts', () => {
  const summary = (accounts: number) => deploymentSummaryOf({ ...worst, accounts, campaigns: [] });
  expect(summary(3)).toMatch(/^With their settings the worst day of the 3 largest accounts costs at most /);
  expect(summary(1)).toMatch(/^With their settings the worst day of the largest account costs at most /);
  expect(summary(0)).toBe('No account has spent credits in this month.');
});

test('a change names the setting, its values and its section of the screen', () => {
  const cases: [Partial<WorstDayChange>, string, string][] = [
    [{}, 'Prefix with low conversion: Minimum % verified: 40 instead of 5', 'rules'],
    [
      { setting: 'mode', threshold: null, before: 'monitor', after: 'enforce' },
      'Prefix with low conversion: Enforce instead of Monitor',
      'rules',
    ],
    [
      { setting: 'mode', rule: null, threshold: null, before: null, after: 'enforce' },
      'All rules: Enforce',
      'rules',
    ],
    [
      { setting: 'countries', rule: 'country', threshold: null, before: null, after: 'US, DE' },
      'Allowed countries: only United States and Germany',
      'countries',
    ],
    [
      { setting: 'known_days', rule: null, threshold: null, before: '180', after: '0' },
      'Known recipients: off instead of 180 days',
      'known',
    ],
    [
      { setting: 'daily_credit_limit', rule: null, threshold: null, before: null, after: '1500' },
      'Daily spend limit: 1,500 credits instead of none',
      'spend',
    ],
    [
      { setting: 'daily_credit_limit', rule: null, threshold: null, before: '2000', after: '1' },
      'Daily spend limit: 1 credit instead of 2,000 credits',
      'spend',
    ],
  ];
  for (const [given, expected, section] of cases) {
    const { name, text, section: found } = changeOf(change(given));
    expect([`${name}: ${text}`, found]).toEqual([expected, section]);
  }
});

test('a change compares the refused users with those of the costliest day', () => {
  expect(usersText(change({ users_refused: 92 }), worst)).toBe('32 more users refused');
  expect(usersText(change({ users_refused: 59 }), worst)).toBe('1 fewer user refused');
  expect(usersText(change({ users_refused: 60 }), worst)).toBe('as many users refused');
});
