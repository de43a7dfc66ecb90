import { expect, test } from 'vitest';
import { RECIPIENT_LENGTH, truncate } from './truncate.ts';

test('a text is cut after 25 characters, never inside one', () => {
  expect(truncate('a'.repeat(25), RECIPIENT_LENGTH)).toBe('a'.repeat(25));
  expect(truncate('a'.repeat(26), RECIPIENT_LENGTH)).toBe(`${'a'.repeat(25)}…`);
  expect(truncate('😀'.repeat(3), 2)).toBe('😀😀…');
});
