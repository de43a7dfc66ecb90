import { expect, test } from 'vitest';
import { rangeBetween, rangeEnd, windowOfRange } from './range.ts';

test('a range of days includes both its first and its last day', () => {
  expect(windowOfRange({ from: '2026-11-01', to: '2026-11-30' }, 'America/New_York')).toEqual({
    created_after: '2026-11-01T04:00:00.000Z',
    created_before: '2026-12-01T05:00:00.000Z',
  });
  expect(windowOfRange({ from: '', to: '' }, 'UTC')).toEqual({});
});

test('a range of times is passed on unchanged', () => {
  const hour = { from: '2026-11-21T14:00:00.000Z', to: '2026-11-21T15:00:00.000Z' };
  expect(windowOfRange(hour, 'America/New_York')).toEqual({
    created_after: hour.from,
    created_before: hour.to,
  });
});

test('a range between two midnights of the time zone is a range of days', () => {
  const [from, to] = [new Date('2026-11-20T05:00:00Z'), new Date('2026-11-22T05:00:00Z')];
  expect(rangeBetween(from, to, 'America/New_York')).toEqual({
    ...{ days: 'custom', from: '2026-11-20', to: '2026-11-21' },
  });
  expect(rangeBetween(from, to, 'UTC')).toEqual({
    ...{ days: 'custom', from: '2026-11-20T05:00:00.000Z', to: '2026-11-22T05:00:00.000Z' },
  });
});

test('an end of a range that is neither a day nor a time is ignored', () => {
  for (const text of ['2026-13-01', '2026-02-30', '1', 'x', '2026-1-1', '2026-11-21T25:00Z', undefined])
    expect(rangeEnd.read(text), text).toBe('');
  for (const text of ['2026-02-28', '2026-11-21T14:05:00.000Z']) expect(rangeEnd.read(text)).toBe(text);
});
