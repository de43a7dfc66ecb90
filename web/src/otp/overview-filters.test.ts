import { expect, test } from 'vitest';
import { type ListFilters, overviewOf } from '../otp/overview-filters.ts';

const filters: ListFilters = {
  days: '15',
  from: '',
  to: '',
  channel: 'all',
  country: '',
  api_key: '',
  search: '',
  status: 'all',
  carrier: 'all',
};
const NOW = Date.parse('2026-11-21T12:00:00Z');
const of = (chosen: Partial<ListFilters>, created_at = '2026-10-02T08:00:00Z') =>
  overviewOf({ ...filters, ...chosen }, created_at, NOW);

test.each([
  ['1', '24h', 'Last 24 hours', ', compared with the 24 hours before'],
  ['7', '7d', 'Last 7 days', ', compared with the 7 days before'],
  ['15', '15d', 'Last 15 days', ', compared with the 15 days before'],
  ['30', '30d', 'Last 30 days', ', compared with the 30 days before'],
])(
  'the figures above a list of the last %s days cover and name the same period',
  (days, range, period, compared) => {
    expect(of({ days })).toMatchObject({ query: { range }, search: { range }, period, compared });
  },
);

test('the overview figures follow the channel, country and key filters of the list', () => {
  const key = '01a1fc75-b3f7-7396-89ae-a333c4e5cb77';
  const { query, search, period } = of({ channel: 'sms', country: 'DE', api_key: key });
  expect(query).toMatchObject({ channel: 'sms', country: 'DE', api_key: key });
  expect(search).toMatchObject({ channel: 'sms', country: 'DE', api_key: key });
  expect(period).toBe('Last 15 days · SMS · Germany · one API key');
});

test('the overview figures follow the search, status and carrier of the list, and name them', () => {
  const chosen = of({ search: 'pat', status: 'failed', carrier: 'smtp' });
  expect(chosen.rows).toEqual({ search: 'pat', status: 'failed', carrier: 'smtp' });
  expect(chosen.period).toBe('Last 15 days · Failed · SMTP · “pat”');
  expect(of({}).rows).toEqual({});
  expect(of({ search: 'x'.repeat(200) }).period).toBe(`Last 15 days · “${'x'.repeat(30)}…”`);
});

test('the period "all time" starts with the account and has no comparison', () => {
  const { query, search, period, compared } = of({ days: 'all' });
  expect([period, compared]).toEqual(['All time', '']);
  expect(search).toMatchObject({ range: 'custom', from: '2026-10-02', to: '2026-11-21' });
  expect('from' in query && Date.parse(query.to) - Date.parse(query.from)).toBe(51 * 86_400_000);
});

test.each([
  [{ from: '2026-11-01', to: '2026-11-03' }, '2026-11-01', '2026-11-03', 'Nov 1, 2026 – Nov 3, 2026'],
  [{ from: '2026-11-01', to: '' }, '2026-11-01', '2026-11-21', 'Since Nov 1, 2026'],
  [{ from: '', to: '2026-11-03' }, '2025-10-01', '2026-11-03', 'Until Nov 3, 2026'],
  [{ from: '', to: '' }, '2025-10-19', '2026-11-21', 'All time'],
  [{ from: '2020-01-01', to: '2026-11-03' }, '2025-10-01', '2026-11-03', 'Jan 1, 2020 – Nov 3, 2026'],
  [{ from: '2026-11-20T10:00:00Z', to: '2026-11-20T11:00:00Z' }, '2026-11-20', '2026-11-20', 'Nov 20, 2026'],
])(
  'the custom range %j shows at most 400 days, links to its days and names them',
  (range, from, to, name) => {
    const { query, search, period } = of({ days: 'custom', ...range }, '2019-01-01T00:00:00Z');
    expect(period).toBe(name);
    expect(search).toMatchObject({ range: 'custom', from, to });
    if (!('from' in query)) throw new Error('no window');
    const days = (Date.parse(query.to) - Date.parse(query.from)) / 86_400_000;
    expect(days).toBeGreaterThan(0);
    expect(days).toBeLessThanOrEqual(400);
  },
);
