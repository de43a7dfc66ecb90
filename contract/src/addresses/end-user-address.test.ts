import { expect, test } from 'vitest';
import { endUserAddress } from './end-user-address.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  [' 203.0.113.7:51234 ', '203.0.113.7'],
  ['"203.0.113.7"', '203.0.113.7'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['2001:db8::1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['::ffff:203.0.113.7', '::ffff:203.0.113.7'],
])('the end-user address %j is accepted', (text, address) => {
  expect(endUserAddress.parse(text)).toBe(address);
});

test.each([
  '',
  ' ',
  'unknown',
  '_hidden',
  '203.0.113.256',
  '127.1',
  '203.0.113.7, 198.51.100.7',
  'x'.repeat(65),
])('the end-user address %j is refused', (text) => {
  expect(endUserAddress.safeParse(text).error?.issues[0]?.message).toBe('Enter a valid IP address.');
});
