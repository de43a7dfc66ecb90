import { expect, test } from 'vitest';
import { dayAfter, dayIn, isDay, startOfDay } from './days.ts';
import { insightsDefaults, readInsightsSearch } from './insights.ts';

test('a day begins at its midnight in the time zone, also on the days when clocks change', () => {
  expect(startOfDay('2026-11-21', 'UTC').toISOString()).toBe('2026-11-21T00:00:00.000Z');
  expect(startOfDay('2026-11-21', 'Asia/Kolkata').toISOString()).toBe('2026-11-20T18:30:00.000Z');
  expect(startOfDay('2026-03-08', 'America/New_York').toISOString()).toBe('2026-03-08T05:00:00.000Z');
  expect(startOfDay('2026-03-09', 'America/New_York').toISOString()).toBe('2026-03-09T04:00:00.000Z');
  expect(startOfDay('2026-11-02', 'America/New_York').toISOString()).toBe('2026-11-02T05:00:00.000Z');
});

test('days are counted across months, and an hour belongs to the day of its time zone', () => {
  expect(dayAfter('2026-12-31')).toBe('2027-01-01');
  expect(dayIn('America/New_York', new Date('2026-11-21T03:00:00Z'))).toBe('2026-11-20');
  expect(['2026-02-30x', '21.11.2026', '2026-13-01'].map(isDay)).toEqual([false, false, false]);
});

test('an address with invalid values shows the defaults, and a custom range needs two days in their order', () => {
  expect(readInsightsSearch({ range: '2d', channel: 'fax', country: 'usa', api_key: 'x' })).toEqual(
    insightsDefaults,
  );
  const days = { range: 'custom', from: '2026-11-01', to: '2026-11-03' };
  expect(readInsightsSearch(days)).toMatchObject(days);
  expect(readInsightsSearch({ ...days, to: '2026-10-01' })).toEqual(insightsDefaults);
});
