import { expect, test } from 'vitest';
import { duration, relativeTime } from './durations.ts';

const now = Date.parse('2026-11-22T12:00:00Z');

test.each([
  ['2026-11-22T11:59:57Z', '3 seconds ago'],
  ['2026-11-22T11:57:00Z', '3 minutes ago'],
  ['2026-11-22T09:59:00Z', '2 hours ago'],
  ['2026-11-21T11:00:00Z', 'yesterday'],
  ['2026-10-12T12:00:00Z', '41 days ago'],
  ['2026-11-22T12:05:00Z', 'in 5 minutes'],
])('%s was %s', (at, text) => {
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
])('%i ms are %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});
