import { expect, test } from 'vitest';
import { phoneGroups, RECIPIENT_LENGTH, truncate } from './RecipientText.tsx';

test.each([
  ['+14155552671', '+1 415 555 2671'],
  ['+442079460958', '+44 207 946 0958'],
  ['+4915112345678', '+49 15 112 345 678'],
  ['+33612345678', '+33 612 345 678'],
  ['+35312345678', '+353 12 345 678'],
  ['+2341234567', '+234 123 4567'],
  ['+6591234567', '+65 91 234 567'],
])('the phone number %s is grouped as %s without losing a digit', (number, groups) => {
  expect(phoneGroups(number)?.join(' ')).toBe(groups);
});

test('an address, a masked number and a short text are not grouped as phone numbers', () => {
  for (const text of ['bob@example.com', '+1415••••71', '+123', ''])
    expect(phoneGroups(text)).toBeUndefined();
});

test('a recipient is truncated after 25 characters, never inside one', () => {
  expect(truncate('a'.repeat(25), RECIPIENT_LENGTH)).toBe('a'.repeat(25));
  expect(truncate('a'.repeat(26), RECIPIENT_LENGTH)).toBe(`${'a'.repeat(25)}…`);
  expect(truncate('😀'.repeat(3), 2)).toBe('😀😀…');
});
