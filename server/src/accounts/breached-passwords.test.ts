import { expect, test } from 'vitest';
import { isBreached } from './breached-passwords.ts';

test('passwords of published breaches are found, from the first to the last of the list', () => {
  for (const password of ['password1', 'sunshine1', 'iloveyou123', 'asdfghjkl123', 'vjht1051'])
    expect([password, isBreached(password)]).toEqual([password, true]);
});

test('other passwords are not found', () => {
  const others = [
    'correct horse battery staple',
    'vier rote schuhe 81',
    'x7#kQ-29zmPL',
    'alice likes long walks 1',
  ];
  expect(others.filter(isBreached)).toEqual([]);
  const made = Array.from({ length: 10_000 }, (_, n) => `a sentence about number ${n}`);
  expect(made.filter(isBreached)).toEqual([]);
});
