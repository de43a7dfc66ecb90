import { expect, test } from 'vitest';
import { fullName, initials } from './initials.ts';

const alice = { first_name: 'Alice', last_name: 'ärmel', email: 'zoe@example.com', username: 'alice' };

test('initials are the first letters of both names, or of the e-mail address without a last name', () => {
  expect(initials(alice)).toBe('AÄ');
  expect(initials({ ...alice, last_name: ' ' })).toBe('Z');
  expect(initials({ ...alice, first_name: '' })).toBe('Ä');
});

test('a user without a name is shown by the username', () => {
  expect(fullName(alice)).toBe('Alice ärmel');
  expect(fullName({ ...alice, first_name: '', last_name: '' })).toBe('alice');
});
