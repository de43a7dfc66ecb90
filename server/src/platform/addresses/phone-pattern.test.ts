import { getCountries, getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { expect, test } from 'vitest';
import { normalisePhone, phonePatternOf } from './phone.ts';

/** As PostgreSQL applies the pattern. */
function isFound(e164: string, country: string): boolean {
  const pattern = phonePatternOf(country);
  if (!pattern) return false;
  const { like, matches, differs } = pattern;
  return (
    e164.startsWith(like.slice(0, -1)) &&
    (matches === undefined || new RegExp(matches).test(e164)) &&
    (differs === undefined || !new RegExp(differs).test(e164))
  );
}

const known = [
  '+18005550199',
  '+14155552671',
  '+14165550123',
  '+12423570001',
  '+447911123456',
  '+390669812345',
];
const numbers = [
  ...known,
  ...getCountries().flatMap((country) => getExampleNumber(country, examples)?.number ?? []),
];

test('a country’s pattern of phone numbers finds the numbers that the service assigns to it, and no other', () => {
  const wrong = numbers.flatMap((e164) => {
    const country = normalisePhone(e164, { defaultRegion: 'US' })?.country;
    const found = getCountries().filter((each) => isFound(e164, each));
    return found.length === 1 && found[0] === country ? [] : [{ e164, country, found }];
  });
  expect(wrong).toEqual([]);
});

test('a country’s pattern of phone numbers finds numbers with an extra prefix in the main country of the calling code', () => {
  const extra = ['+1699', '+4479999'];
  const isMatch = (e164: string, country: string): boolean =>
    new RegExp(phonePatternOf(country, extra)?.matches ?? '$^').test(e164);
  expect(['US', 'CA', 'JM', 'GB', 'JE'].filter((country) => isMatch('+16995552671', country))).toEqual([
    'US',
  ]);
  expect(['US', 'GB', 'JE'].filter((country) => isMatch('+447999912345', country))).toEqual(['GB']);
  expect(phonePatternOf('US')?.matches).not.toContain('699');
});

test('a country’s pattern of phone numbers does not exist for a country without phone numbers', () => {
  expect(phonePatternOf('AQ')).toBeUndefined();
  expect(phonePatternOf('XX')).toBeUndefined();
});
