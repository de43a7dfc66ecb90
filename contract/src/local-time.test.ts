import { describe, expect, test } from 'vitest';
import {
  dayAfter,
  daysBetween,
  hoursBetween,
  isDay,
  isTimeZone,
  localTime,
  momentOf,
  startOfDay,
  today,
} from './local-time.ts';

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

describe('where the clocks change at midnight', () => {
  test.each([
    // from 00:00 to 01:00: the day begins at 01:00
    ['America/Santiago', '2024-09-08', '2024-09-08T04:00:00.000Z', 23],
    ['Asia/Beirut', '2024-03-31', '2024-03-30T22:00:00.000Z', 23],
    ['Africa/Cairo', '2024-04-26', '2024-04-25T22:00:00.000Z', 23],
    ['America/Havana', '2024-03-10', '2024-03-10T05:00:00.000Z', 23],
    ['America/Asuncion', '2023-10-01', '2023-10-01T04:00:00.000Z', 23],
    ['Atlantic/Azores', '2024-03-31', '2024-03-31T01:00:00.000Z', 23],
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z', 23],
    // from 00:00 back to 23:00: the day before lasts longer
    ['America/Santiago', '2024-04-06', '2024-04-06T03:00:00.000Z', 25],
    ['Asia/Beirut', '2024-10-26', '2024-10-25T21:00:00.000Z', 25],
    ['Africa/Cairo', '2024-10-31', '2024-10-30T21:00:00.000Z', 25],
    // from 01:00 back to 00:00: midnight comes twice, and the day begins at the first one
    ['America/Havana', '2024-11-03', '2024-11-03T04:00:00.000Z', 25],
    ['Atlantic/Azores', '2024-10-27', '2024-10-27T00:00:00.000Z', 25],
    // clocks that change by half an hour
    ['Australia/Lord_Howe', '2024-10-06', '2024-10-05T13:30:00.000Z', 23.5],
  ])('in %s, the day %s begins at %s and lasts %f hours', (zone, day, start, hours) => {
    const begin = startOfDay(day, zone);
    expect(begin.toISOString()).toBe(start);
    expect((startOfDay(dayAfter(day), zone).getTime() - begin.getTime()) / 3_600_000).toBe(hours);
    expect(today(zone, begin)).toBe(day);
    expect(today(zone, new Date(begin.getTime() - 1))).toBe(dayAfter(day, -1));
  });
});

test('a day that a time zone skipped is not among its days', () => {
  const [from, to] = [new Date('2011-12-29T12:00:00Z'), new Date('2012-01-01T12:00:00Z')];
  const days = daysBetween(from, to, 'Pacific/Apia').map((start) => today('Pacific/Apia', start));
  expect(days).toEqual(['2011-12-29', '2011-12-31', '2012-01-01', '2012-01-02']);
});

test('the days between two times start with the day of the first and end before the second', () => {
  const days = (from: string, to: string, zone: string) =>
    daysBetween(new Date(from), new Date(to), zone).map((start) => start.toISOString());
  expect(days('2024-09-07T12:00:00Z', '2024-09-09T03:00:00Z', 'America/Santiago')).toEqual([
    '2024-09-07T04:00:00.000Z',
    '2024-09-08T04:00:00.000Z',
  ]);
  expect(days('2024-09-08T04:00:00Z', '2024-09-08T04:00:01Z', 'America/Santiago')).toHaveLength(1);
});

test('in a time zone with a half-hour offset, hours begin on the local full hour', () => {
  const hours = hoursBetween(
    new Date('2026-11-21T10:05:00Z'),
    new Date('2026-11-21T12:30:00Z'),
    'Asia/Kolkata',
  );
  expect(hours.map((start) => localTime(start, 'Asia/Kolkata'))).toEqual([
    '2026-11-21T15:00',
    '2026-11-21T16:00',
    '2026-11-21T17:00',
  ]);
});

test('a local time converts to UTC and back unchanged, even around a clock change', () => {
  const zone = 'America/New_York';
  for (const iso of ['2026-11-21T14:05:00.000Z', '2026-03-08T06:55:00.000Z', '2026-03-08T07:05:00.000Z'])
    expect(momentOf(localTime(new Date(iso), zone), zone).toISOString()).toBe(iso);
  // shown twice: the first time; skipped: an hour later on the changed clocks
  expect(momentOf('2026-11-01T01:30', zone).toISOString()).toBe('2026-11-01T05:30:00.000Z');
  expect(localTime(momentOf('2026-03-08T02:30', zone), zone)).toBe('2026-03-08T03:30');
});

test('day arithmetic crosses month boundaries', () => {
  expect(dayAfter('2026-12-31')).toBe('2027-01-01');
  expect(dayAfter('2026-11-03', -6)).toBe('2026-10-28');
});

test('a day that does not exist is refused', () => {
  expect(['2026-02-28', '2024-02-29', '1971-01-01'].every(isDay)).toBe(true);
  expect(['2026-02-29', '2026-13-01', '2026-1-1', '0001-01-01', '9999-12-31', '', 'x'].some(isDay)).toBe(
    false,
  );
});

test('the current day depends on the time zone', () => {
  const at = new Date('2026-11-21T23:30:00Z');
  expect(today('UTC', at)).toBe('2026-11-21');
  expect(today('Asia/Tokyo', at)).toBe('2026-11-22');
});

test('every time zone of this runtime is accepted, including its older names', () => {
  const all = [...Intl.supportedValuesOf('timeZone'), 'UTC', 'Asia/Kolkata', 'US/Eastern', 'Etc/GMT+5'];
  expect(all.filter((name) => !isTimeZone(name))).toEqual([]);
});

test.each([
  ...['EST', 'MST', 'PST', 'IST', 'CET', 'EST5EDT', 'PST8PDT', 'GMT', 'Z', 'utc', 'GB', 'GMT0'],
  ...['+05:30', '-08', 'UTC+3', 'Etc/Unknown', 'Europe/Atlantis', 'europe/berlin', 'SystemV/AST4'],
  ...['', 'Europe/', '/Berlin', 'Europe/../Berlin', `Europe/${'x'.repeat(80)}`, "UTC'; drop table accounts"],
])('%j is not accepted as a time zone', (name) => {
  expect(isTimeZone(name)).toBe(false);
});
