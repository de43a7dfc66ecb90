import { expect, test } from 'vitest';
import { enrolmentOf, stepOfCode } from './authenticator.ts';

/** RFC 6238, appendix B, for SHA-1; the last six of the eight digits. */
const SECRET = Buffer.from('12345678901234567890');

test.each([
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
])('at second %i the TOTP code is %s, as in the test vectors of RFC 6238', (seconds, code) => {
  const step = Math.floor(seconds / 30);
  expect(stepOfCode(SECRET, code, seconds * 1000)).toBe(step);
  // one step early or late is accepted, two are not
  expect(stepOfCode(SECRET, code, (step - 1) * 30_000)).toBe(step);
  expect(stepOfCode(SECRET, code, (step + 2) * 30_000 - 1)).toBe(step);
  expect(stepOfCode(SECRET, code, (step - 1) * 30_000 - 1)).toBeUndefined();
  expect(stepOfCode(SECRET, code, (step + 2) * 30_000)).toBeUndefined();
});

test.each(['', '28708', '2870822', '28708a', '287083'])('the TOTP code %j matches no time step', (code) => {
  expect(stepOfCode(SECRET, code, 59_000)).toBeUndefined();
});

test('the TOTP enrolment URL contains the service, the account and the parameters', () => {
  const { uri, secret } = enrolmentOf(SECRET, { issuer: 'Sixdigit', label: 'alice@example.com' });
  expect(secret).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
  const url = new URL(uri);
  expect(url.protocol).toBe('otpauth:');
  expect(decodeURIComponent(url.pathname)).toMatch(/Sixdigit:alice@example\.com$/);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    issuer: 'Sixdigit',
    secret,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
});
