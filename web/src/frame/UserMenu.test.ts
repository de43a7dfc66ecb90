import { expect, test } from 'vitest';
import { fullName, initials } from './UserMenu.tsx';

const alice = { first_name: 'Alice', last_name: 'ärmel', email: 'zoe@example.com', username: 'alice' };

test('initials are the first letters of both names, or of the email address if there is no last name', () => {
  expect(initials(alice)).toBe('AÄ');
  expect(initials({ ...alice, last_name: ' ' })).toBe('Z');
  expect(initials({ ...alice, first_name: '' })).toBe('Ä');
});

test('the user menu shows the username if there is no name', () => {
  expect(fullName(alice)).toBe('Alice ärmel');
  expect(fullName({ ...alice, first_name: '', last_name: '' })).toBe('alice');
});
