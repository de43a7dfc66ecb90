import { expect, test } from 'vitest';
import { plainNetwork } from './ip-network.ts';

test.each([
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['0:0:0:0:0:ffff:c000:207', '192.0.2.7'],
  ['::ffff:192.0.2.0/120', '192.0.2.0/24'],
  ['::ffff:0:0/96', '0.0.0.0/0'],
  ['::/0', '::/0'],
  ['192.0.2.0/24', '192.0.2.0/24'],
  ['2001:db8::/32', '2001:db8::/32'],
])('%s is %s', (given, plain) => {
  expect(plainNetwork(given)).toBe(plain);
});
