import { expect, test } from 'vitest';
import { isThisMachine } from '../ui/ProxyNotice.tsx';

test.each(['localhost', 'otp.localhost', '127.0.0.1', '127.9.9.9', '[::1]'])(
  'the host %s counts as this machine',
  (host) => {
    expect(isThisMachine(host)).toBe(true);
  },
);

test.each([
  'otp.example.com',
  '192.168.1.4',
  '127.0.0.1.example.com',
  'localhost.example.com',
  '[2001:db8::1]',
])('the host %s counts as another machine', (host) => {
  expect(isThisMachine(host)).toBe(false);
});
