import { expect, test } from 'vitest';
import { phoneGroups } from './phone-groups.ts';
import { RECIPIENT_LENGTH, truncate } from './RecipientText.tsx';

test.each([
  '+1 415 555 2671',
  '+44 7700 900123',
  '+49 1511 2345678',
  '+33 6 12 34 56 78',
  '+353 1 234 5678',
  // the beginnings of numbers
  '+1 415 555',
  '+49 151',
])('the phone number %s is written in the groups of its country', (number) => {
  expect(phoneGroups(number.replaceAll(' ', ''))).toBe(number);
});

test('an address and a masked number are not grouped as phone numbers', () => {
  for (const text of ['bob@example.com', '+1415••••71', '']) expect(phoneGroups(text)).toBe(text);
});

test('a recipient is truncated after 25 characters, never inside one', () => {
  expect(truncate('a'.repeat(25), RECIPIENT_LENGTH)).toBe('a'.repeat(25));
  expect(truncate('a'.repeat(26), RECIPIENT_LENGTH)).toBe(`${'a'.repeat(25)}…`);
  expect(truncate('😀'.repeat(3), 2)).toBe('😀😀…');
});
