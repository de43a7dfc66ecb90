import { afterAll, expect, test, vi } from 'vitest';

// before the formats read it
vi.stubEnv('TZ', 'UTC');
const {
  duration,
  fullDateTime,
  longDate,
  paymentDateTime,
  relativeTime,
  rowDateTime,
  shortDateTime,
  timeOfDay,
} = await import('./dates.ts');
afterAll(() => void vi.unstubAllEnvs());

/** Newer versions of ICU separate the time of day with a narrow space. */
const plain = (text: string): string => text.replace(/\u202f/g, ' ');
const at = '2026-11-21T03:05:12.000Z';

test('dates are formatted in US English', () => {
  expect(plain(shortDateTime(at))).toBe('Nov 21, 2026, 03:05 AM');
  expect(plain(fullDateTime(at))).toBe('Nov 21, 2026, 03:05:12 AM UTC');
  expect(plain(timeOfDay(at))).toBe('03:05:12 AM');
  const thisYear = new Date().getUTCFullYear();
  expect(plain(rowDateTime(at.replace('2026', String(thisYear))))).toBe('Nov 21, 03:05 AM');
  expect(plain(rowDateTime('2019-11-21T03:05:12.000Z'))).toBe('Nov 21, 2019, 03:05 AM');
  expect(longDate(at)).toBe('November 21, 2026');
});

test('payment dates have the format MMM dd, yyyy HH:mm, even at midnight', () => {
  expect(paymentDateTime('2026-11-01T00:07:00Z')).toBe('Nov 01, 2026 00:07');
  expect(paymentDateTime('2026-11-01T23:59:59Z')).toBe('Nov 01, 2026 23:59');
});

test('a missing or invalid date is shown as the given text', () => {
  expect(shortDateTime(null, 'Never')).toBe('Never');
  expect(longDate('yesterday', 'N/A')).toBe('N/A');
  expect(fullDateTime(undefined)).toBe('');
});

const now = Date.parse('2026-11-22T12:00:00Z');

test.each([
  ['2026-11-22T11:59:57Z', '3 seconds ago'],
  ['2026-11-22T11:57:00Z', '3 minutes ago'],
  ['2026-11-22T09:59:00Z', '2 hours ago'],
  ['2026-11-21T11:00:00Z', 'yesterday'],
  ['2026-10-12T12:00:00Z', '41 days ago'],
  ['2026-11-22T12:05:00Z', 'in 5 minutes'],
])('the time %s is shown as "%s"', (at, text) => {
  expect(relativeTime(at, now)).toBe(text);
});

test.each([
  [0, '0 s'],
  [412, '0.4 s'],
  [9_960, '10 s'],
  [27_300, '27 s'],
  [59_700, '1 min'],
  [250_000, '4 min 10 s'],
  [7_500_000, '2 h 5 min'],
])('a duration of %i ms is shown as "%s"', (ms, text) => {
  expect(duration(ms)).toBe(text);
});
