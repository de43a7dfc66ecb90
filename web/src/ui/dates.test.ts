import { afterAll, expect, test, vi } from 'vitest';

// before the formats read it
vi.stubEnv('TZ', 'UTC');
const { fullDateTime, longDate, paymentDateTime, shortDateTime } = await import('./dates.ts');
afterAll(() => void vi.unstubAllEnvs());

/** Newer versions of ICU separate the time of day with a narrow space. */
const plain = (text: string): string => text.replace(/\u202f/g, ' ');
const at = '2026-11-21T03:05:12.000Z';

test('dates are in US English', () => {
  expect(plain(shortDateTime(at))).toBe('Nov 21, 2026, 03:05 AM');
  expect(plain(fullDateTime(at))).toBe('Nov 21, 2026, 3:05:12 AM');
  expect(longDate(at)).toBe('November 21, 2026');
});

test('payments have the format MMM dd, yyyy HH:mm, also at midnight', () => {
  expect(paymentDateTime('2026-11-01T00:07:00Z')).toBe('Nov 01, 2026 00:07');
  expect(paymentDateTime('2026-11-01T23:59:59Z')).toBe('Nov 01, 2026 23:59');
});

test('a missing or invalid date is the given text', () => {
  expect(shortDateTime(null, 'Never')).toBe('Never');
  expect(longDate('yesterday', 'N/A')).toBe('N/A');
  expect(fullDateTime(undefined)).toBe('');
});
