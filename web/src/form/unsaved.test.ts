import { expect, test } from 'vitest';
import { differs } from './unsaved.ts';

test('an edit is unsaved until the field has its saved value again', () => {
  const saved = { first_name: 'Alice', is_enabled: false };
  expect(differs({ first_name: 'Alice', is_enabled: false }, saved)).toBe(false);
  expect(differs({ first_name: 'Alicia', is_enabled: false }, saved)).toBe(true);
  expect(differs({ first_name: 'Alice', is_enabled: true }, saved)).toBe(true);
});
