import { API_SCOPES, type ApiKey } from '@sixdigit/contract/api-keys.ts';
import { expect, test } from 'vitest';
import { showTimesIn } from '../ui/dates.ts';
import { bodyOfKey, expiryOf, NEW_KEY, scopesText, valuesOfKey } from './key-values.ts';

const key: ApiKey = {
  id: '01999999-0000-7000-8000-000000000001',
  name: 'Shop',
  prefix: 'sd_live_abcd',
  mode: 'live',
  scopes: ['otp:send', 'otp:read'],
  expires_at: '2030-01-31T12:00:30.000Z',
  allowed_networks: ['203.0.113.0/24', '2001:db8::/32'],
  daily_credit_limit: 50,
  spent_today: 3,
  require_proof: 'always',
  note: 'Web shop',
  created_at: '2026-01-01T00:00:00.000Z',
  last_used_at: null,
  retired: null,
  created_by: null,
};

test('an unchanged API key form sends the stored settings without the expiry', () => {
  const values = valuesOfKey(key);
  expect(bodyOfKey(values, values)).toEqual({
    scopes: ['otp:send', 'otp:read'],
    allowed_networks: ['203.0.113.0/24', '2001:db8::/32'],
    daily_credit_limit: 50,
    require_proof: 'always',
    note: 'Web shop',
  });
});

test.each([
  ['UTC', '2031-02-03T04:05', '2031-02-03T04:05:00.000Z'],
  ['America/New_York', '2031-02-03T04:05', '2031-02-03T09:05:00.000Z'],
  ['Europe/Berlin', '2031-03-30T03:30', '2031-03-30T01:30:00.000Z'],
])('an expiry entered in the time zone %s is sent in UTC and read back unchanged', (zone, local, iso) => {
  showTimesIn(zone);
  const before = valuesOfKey(key);
  expect(bodyOfKey({ ...before, expires_at: local }, before).expires_at).toBe(iso);
  expect(valuesOfKey({ ...key, expires_at: iso }).expires_at).toBe(local);
  showTimesIn(null);
});

test('a cleared expiry is sent as never, and an invalid expiry as typed', () => {
  const before = valuesOfKey(key);
  expect(bodyOfKey({ ...before, expires_at: '' }, before).expires_at).toBeNull();
  expect(bodyOfKey({ ...before, expires_at: 'soon' }, before).expires_at).toBe('soon');
});

test('the API key form splits networks at line breaks, commas or spaces and sends an empty limit as null', () => {
  const values = { ...NEW_KEY, allowed_networks: ' 203.0.113.7,\n198.51.100.0/24  ', daily_credit_limit: '' };
  expect(bodyOfKey(values, NEW_KEY)).toMatchObject({
    allowed_networks: ['203.0.113.7', '198.51.100.0/24'],
    daily_credit_limit: null,
  });
  expect(bodyOfKey({ ...NEW_KEY, daily_credit_limit: '1,500' }, NEW_KEY).daily_credit_limit).toBe(1_500);
});

test.each([
  [API_SCOPES, 'Full access'],
  [['otp:send', 'otp:verify', 'otp:read'], 'Send, verify and read'],
  [['otp:verify'], 'Verify'],
  [['otp:read', 'otp:send'], 'Send and read'],
] as const)('the scopes %j are shown as "%s"', (scopes, text) => {
  expect(scopesText(scopes)).toBe(text);
});

test('an API key counts as expiring soon in its last week', () => {
  const now = Date.parse('2030-01-31T12:00:00Z');
  const at = (days: number) => new Date(now + days * 86_400_000).toISOString();
  expect(expiryOf(null, now)).toBe('never');
  expect(expiryOf(at(8), now)).toBe('later');
  expect(expiryOf(at(6), now)).toBe('soon');
  expect(expiryOf(at(0), now)).toBe('expired');
});
