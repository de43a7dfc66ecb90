import { expect, test } from 'vitest';
import { daysOf, EVER, recipientPatterns, windowOf } from './page.ts';

test.each([
  ['Anna@', ['%anna@%']],
  ['5550100', ['%5550100%']],
  ['+1 (415) 555', ['%+1 (415) 555%', '%1415555%']],
  ['+1415', ['%1415%']],
  ['+1', ['%+1%']],
])('a search for %s compares each recipient with as few patterns as find it', (search, patterns) => {
  expect(recipientPatterns(search)).toEqual(patterns);
});

test('a time window is as long as the time from its beginning to its end or now', () => {
  const now = new Date('2026-11-23T12:00:00Z');
  const until = windowOf('2026-11-20T00:00:00Z', now).from_id;
  const week = windowOf('7', now);
  expect(daysOf(week, now)).toBe(7);
  expect(daysOf({ ...week, until_id: until }, now)).toBe(3.5);
  expect(daysOf({ from_id: EVER, from_day: '0001-01-01', until_id: until }, now)).toBe(
    Number.POSITIVE_INFINITY,
  );
});
