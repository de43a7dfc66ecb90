import { expect, test } from 'vitest';
import { isBreached } from './passwords.ts';

test('passwords of published breaches are found, from the first to the last of the list', async () => {
  for (const password of ['password1', 'sunshine1', 'iloveyou123', 'asdfghjkl123', 'vjht1051'])
    expect([password, await isBreached(password)]).toEqual([password, true]);
});

test('other passwords are not found', async () => {
  const others = [
    'correct horse battery staple',
    'vier rote schuhe 81',
    'x7#kQ-29zmPL',
    'alice likes long walks 1',
  ];
  for (const other of others) expect([other, await isBreached(other)]).toEqual([other, false]);
  const made = Array.from({ length: 10_000 }, (_, n) => `a sentence about number ${n}`);
  const found = await Promise.all(made.map(isBreached));
  expect(found.filter(Boolean)).toEqual([]);
});
