import type { BackTest } from '@sixdigit/contract/protection/protection.ts';
import { expect, test } from 'vitest';
import { limitsOf, savedText, scopeText, whyNothing } from './back-test-texts.ts';

const tested = (of: Partial<BackTest> = {}): BackTest => ({
  rule: 'prefix_velocity',
  from: '2026-11-20T08:00:00Z',
  to: '2026-11-26T08:00:00Z',
  limited_by: null,
  sends: 12_480,
  verified_sends: 9_000,
  blocked: 214,
  verified: 38,
  saved: { blocked: 98, verified: 2 },
  learning: 0,
  without_client: 0,
  erased: 0,
  examples: [],
  ...of,
});

test('a back-test names the sends and the period that it covers', () => {
  expect(scopeText(tested())).toBe('Tested on the 12,480 sends of the last 30 days.');
  expect(scopeText(tested({ sends: 1 }))).toBe('Tested on the 1 send of the last 30 days.');
  expect(scopeText(tested({ limited_by: 'sends' }))).toMatch(
    /^Tested on the 12,480 sends since Nov 20, .*, because a test reads at most the newest 30,000 verifications\.$/,
  );
});

test('a back-test compares its numbers with those of the saved thresholds', () => {
  expect(savedText(1_098)).toBe('1,098 with the saved thresholds');
});

test('a back-test names what its history does not contain', () => {
  const always = 'Sends that were refused at the time are not included.';
  expect(limitsOf(tested({ without_client: 12_480 }))).toEqual([always]);
  expect(limitsOf(tested({ rule: 'client_velocity', without_client: 1, learning: 2, erased: 3 }))).toEqual([
    '2 more sends would only have been monitored, because the rule was still learning.',
    '1 send has no end user’s IP address, which this rule needs.',
    '3 sends to erased recipients cannot be tested.',
    always,
  ]);
});

test('a back-test without anything to compare says so', () => {
  expect(whyNothing(tested({ without_client: 12_480 }))).toBeUndefined();
  expect(whyNothing(tested({ rule: 'client_countries', without_client: 12_480 }))).toContain(
    'nothing to compare',
  );
  expect(whyNothing(tested({ sends: 0 }))).toContain('no past sends');
});
