import { expect, test } from 'vitest';
import { localhostUrl } from './passkey.ts';

test.each([
  ['http://127.0.0.1:3000/settings#security', 'http://localhost:3000/settings#security'],
  ['http://[::1]:3000/settings', 'http://localhost:3000/settings'],
  ['http://localhost:3000/settings', undefined],
  ['https://otp.example.com/settings', undefined],
  ['http://192.168.1.7:3000/settings', undefined],
  ['https://127.example.com/settings', undefined],
])('for passkeys, the page %s sends the user to %s', (href, expected) => {
  const { hostname } = new URL(href);
  expect(localhostUrl({ href, hostname })).toBe(expected);
});
