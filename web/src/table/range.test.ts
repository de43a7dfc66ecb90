import { expect, test } from 'vitest';
import {
  dayAfter,
  localTime,
  momentOf,
  rangeBetween,
  rangeEnd,
  startOfDay,
  today,
  windowOfRange,
} from './range.ts';

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

test('a range of times ends where its last time begins', () => {
  const hour = { from: '2026-11-21T14:00:00.000Z', to: '2026-11-21T15:00:00.000Z' };
  expect(windowOfRange(hour, 'America/New_York')).toEqual({
    created_after: hour.from,
    created_before: hour.to,
  });
});

test('a range between two moments is one of days if both are midnights of the zone', () => {
  const [from, to] = [new Date('2026-11-20T05:00:00Z'), new Date('2026-11-22T05:00:00Z')];
  expect(rangeBetween(from, to, 'America/New_York')).toEqual({
    ...{ days: 'custom', from: '2026-11-20', to: '2026-11-21' },
  });
  expect(rangeBetween(from, to, 'UTC')).toEqual({
    ...{ days: 'custom', from: '2026-11-20T05:00:00.000Z', to: '2026-11-22T05:00:00.000Z' },
  });
});

test('a local time names the same moment in both directions, also next to a change of the clocks', () => {
  const zone = 'America/New_York';
  for (const iso of ['2026-11-21T14:05:00.000Z', '2026-03-08T06:55:00.000Z', '2026-03-08T07:05:00.000Z']) {
    expect(momentOf(localTime(new Date(iso), zone), zone).toISOString()).toBe(iso);
  }
});

test('an end in the address that is neither a day nor a time counts as none', () => {
  for (const text of ['2026-13-01', '2026-02-30', '1', 'x', '2026-1-1', '2026-11-21T25:00Z', undefined])
    expect(rangeEnd.read(text), text).toBe('');
  for (const text of ['2026-02-28', '2026-11-21T14:05:00.000Z']) expect(rangeEnd.read(text)).toBe(text);
});

test('days are counted across months', () => {
  expect(dayAfter('2026-12-31')).toBe('2027-01-01');
  expect(dayAfter('2026-11-03', -6)).toBe('2026-10-28');
});

test('today depends on the zone', () => {
  const at = new Date('2026-11-21T23:30:00Z');
  expect(today('UTC', at)).toBe('2026-11-21');
  expect(today('Asia/Tokyo', at)).toBe('2026-11-22');
});
