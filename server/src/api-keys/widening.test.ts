import { expect, test } from 'vitest';
import { widens } from './widening.ts';

const before = {
  scopes: ['otp:send' as const],
  expires_at: '2030-01-31T00:00:00.000Z',
  allowed_networks: ['203.0.113.0/24', '2001:db8::/32'],
  daily_credit_limit: 100,
};

test.each([
  [{ name: 'Other', note: 'Text' }, false],
  [{ scopes: ['otp:send' as const] }, false],
  [{ scopes: ['otp:send' as const, 'otp:read' as const] }, true],
  [{ expires_at: '2030-01-30T23:00:00Z' }, false],
  [{ expires_at: '2030-01-31T01:00:00+01:00' }, false],
  [{ expires_at: '2030-02-01T00:00:00Z' }, true],
  [{ expires_at: null }, true],
  [{ allowed_networks: ['203.0.113.7', '2001:db8:1::/48'] }, false],
  [{ allowed_networks: ['203.0.112.0/23'] }, true],
  [{ allowed_networks: ['203.0.113.0/16'] }, true],
  [{ allowed_networks: ['2001:db8::/16'] }, true],
  [{ allowed_networks: ['198.51.100.1'] }, true],
  [{ allowed_networks: [] }, true],
  [{ daily_credit_limit: 99 }, false],
  [{ daily_credit_limit: 101 }, true],
  [{ daily_credit_limit: null }, true],
])('a change to %j widens the key: %s', (change, expected) => {
  expect(widens(before, change)).toBe(expected);
});

test('a key without restrictions cannot become wider', () => {
  const open = { ...before, expires_at: null, allowed_networks: [], daily_credit_limit: null };
  expect(widens(open, { expires_at: null, allowed_networks: ['0.0.0.0/0'], daily_credit_limit: 5 })).toBe(
    false,
  );
});
