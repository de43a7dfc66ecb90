import { expect, test } from 'vitest';
import { differs, followed } from './UnsavedChanges.tsx';

test('an edit is unsaved until the field has its saved value again', () => {
  const saved = { first_name: 'Alice', is_enabled: false };
  expect(differs({ first_name: 'Alice', is_enabled: false }, saved)).toBe(false);
  expect(differs({ first_name: 'Alicia', is_enabled: false }, saved)).toBe(true);
  expect(differs({ first_name: 'Alice', is_enabled: true }, saved)).toBe(true);
});

test('unedited fields take the values that another tab saves', () => {
  const before = { first_name: 'Alice', last_name: '' };
  const saved = { first_name: 'Alicia', last_name: 'Liddell' };
  expect(followed(before, before, saved)).toEqual(saved);
  expect(followed({ ...before, last_name: 'Smith' }, before, saved)).toEqual({
    ...{ first_name: 'Alicia', last_name: 'Smith' },
  });
});
