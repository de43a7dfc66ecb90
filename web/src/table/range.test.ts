import { expect, test } from 'vitest';
import { day, startOfDay, today, windowOfRange } from './range.ts';

test.each([
  ['2026-11-21', 'UTC', '2026-11-21T00:00:00.000Z'],
  ['2026-11-21', 'America/New_York', '2026-11-21T05:00:00.000Z'],
  ['2026-07-01', 'America/New_York', '2026-07-01T04:00:00.000Z'],
  ['2026-11-21', 'Asia/Kolkata', '2026-11-20T18:30:00.000Z'],
  ['2026-11-21', 'Pacific/Auckland', '2026-11-20T11:00:00.000Z'],
  // the day on which the clocks change, and the day after
  ['2026-03-08', 'America/New_York', '2026-03-08T05:00:00.000Z'],
  ['2026-03-09', 'America/New_York', '2026-03-09T04:00:00.000Z'],
])('the day %s in %s begins at %s', (text, zone, start) => {
  expect(startOfDay(text, zone).toISOString()).toBe(start);
});

test('a range includes both of its days', () => {
  expect(windowOfRange({ from: '2026-11-01', to: '2026-11-30' }, 'America/New_York')).toEqual({
    created_after: '2026-11-01T04:00:00.000Z',
    created_before: '2026-12-01T05:00:00.000Z',
  });
  expect(windowOfRange({ from: '', to: '' }, 'UTC')).toEqual({});
});

test('a day in the address that is none counts as none', () => {
  for (const text of ['2026-13-01', '1', 'x', '2026-1-1', undefined]) expect(day.read(text)).toBe('');
  expect(day.read('2026-02-28')).toBe('2026-02-28');
});

test('today depends on the zone', () => {
  const at = new Date('2026-11-21T23:30:00Z');
  expect(today('UTC', at)).toBe('2026-11-21');
  expect(today('Asia/Tokyo', at)).toBe('2026-11-22');
});
