import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { expect, test } from 'vitest';
import { keyInShell } from '../api/curl.ts';
import { noteOn } from './Sample.tsx';

type Key = Parameters<typeof noteOn>[0];
const key: Key = { name: 'Shop', mode: 'live', scopes: ['otp:send'], expires_at: null };

test('a key that cannot make a call shows a note with the reason', () => {
  expect(noteOn(key, sendOtp)).toBeUndefined();
  expect(noteOn(key)).toBeUndefined();
  expect(noteOn(key, verifyOtp)).toBe('Shop lacks the scope otp:verify, which this call needs.');
  expect(noteOn({ ...key, expires_at: '2020-01-01T00:00:00.000Z' }, verifyOtp)).toBe('Shop has expired.');
  expect(noteOn({ ...key, mode: 'test' }, sendOtp)).toBe(
    'Shop is a test key: nothing is sent and nothing is charged.',
  );
});

test('a command names the selected key only by its prefix', () => {
  expect(keyInShell()).toBe('$API_KEY');
  expect(keyInShell('sd_live_AbCd')).toBe(['$', '{API_KEY:?set it to the key sd_live_AbCd...}'].join(''));
});
