import { expect, test } from 'vitest';
import { addressesIn } from './InviteDialog.tsx';

test('a text of addresses is split at commas, semicolons and white space, and repeated ones count once', () => {
  expect(addressesIn('a@example.com, b@example.com;c@example.com\n<d@example.com>  a@example.com,')).toEqual([
    'a@example.com',
    'b@example.com',
    'c@example.com',
    'd@example.com',
  ]);
  expect(addressesIn(' \n,')).toEqual([]);
});
