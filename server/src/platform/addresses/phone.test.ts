import { getCountries, getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { describe, expect, it, test } from 'vitest';
import {
  countryOfPhone,
  isPhonePrefix,
  normalisePhone,
  phonePatternOf,
  phoneProblem,
  possiblePhone,
} from './phone.ts';

const us = { defaultRegion: 'US' };

describe('a phone number', () => {
  it.each([
    '(415) 555-2671',
    '4155552671',
    '1 415 555 2671',
    '+1.415.555.2671',
    ' +1\u00a0415\u2011555\u20132671 ',
    '\u202a+14155552671\u202c',
    '＋１４１５５５５２６７１',
    '٤١٥٥٥٥٢٦٧١',
    '۴۱۵۵۵۵۲۶۷۱',
    '४१५५५५२६७१',
    '(+1) 415 555 2671',
    '+(1) 415-555-2671',
    '++14155552671',
    'tel:+14155552671',
    'tel:+1-415-555-2671;isub=5',
    'tel:415-555-2671;phone-context=+1',
    'Phone: (415) 555-2671',
    '001 415 555 2671',
    '00 1 (415) 555-2671',
    '011 1 415 555 2671',
    '[415] 555~2671.',
  ])('a phone number has the same E.164 in every notation: %s', (text) => {
    expect(normalisePhone(text, us)).toMatchObject({ e164: '+14155552671', country: 'US' });
  });

  it('a phone number without a country code belongs to the default region', () => {
    expect(normalisePhone('020 7946 0958', { defaultRegion: 'GB' })).toMatchObject({
      e164: '+442079460958',
      country: 'GB',
      type: 'FIXED_LINE',
    });
  });

  it('a premium number has the type PREMIUM_RATE', () => {
    expect(normalisePhone('+1 900 555 1234', us)?.type).toBe('PREMIUM_RATE');
  });

  it.each(['+44 7012345678', '+1 500 234 5678', '+870 773 123456', '+881 612 345 678', '+883 100 12345'])(
    'a number of a costly type or network gets no code, even if every country is allowed: %s',
    (text) => {
      const phone = normalisePhone(text, us);
      expect(phone && phoneProblem(phone, { allowedCountries: ['*'] })).toBe(
        'This kind of phone number cannot receive codes.',
      );
    },
  );

  it.each([
    '',
    '+',
    '123',
    '415 555 267',
    '+1 415 555 2671 ext 5',
    '1-800-FLOWERS',
    'tel:+14155552671;ext=5',
    '+999 12345678',
    '4155552671;phone-context=+44',
    'alice 4155552671',
    '1'.repeat(50),
  ])('%j is not a phone number', (text) => {
    expect(normalisePhone(text, us)).toBeUndefined();
  });

  it('a phone number can be possible without being assigned', () => {
    expect(normalisePhone('(555) 123-4567', us)).toBeUndefined();
    expect(possiblePhone('(555) 123-4567', us)).toBe('+15551234567');
    expect(possiblePhone('555 123', us)).toBeUndefined();
  });
});

describe('an international prefix', () => {
  it.each([
    ['GB', '00 1 415 555 2671', '+14155552671'],
    ['AU', '0011 1 415 555 2671', '+14155552671'],
    ['JP', '010 1 415 555 2671', '+14155552671'],
    ['US', '011 44 20 7946 0958', '+442079460958'],
    ['US', '0044 20 7946 0958', '+442079460958'],
    ['US', '00442079460958', '+442079460958'],
    ['US', '+44 (0)20 7946 0958', '+442079460958'],
    ['GB', '0114 496 0123', '+441144960123'],
  ])('a number with the international prefix of %s is recognized: %s', (defaultRegion, text, e164) => {
    expect(normalisePhone(text, { defaultRegion })?.e164).toBe(e164);
  });
});

describe('an extra prefix', () => {
  const extra = { ...us, extraPhonePrefixes: ['+1699', '+4479999'] };

  it('an extra prefix makes numbers valid that are newer than the numbering plans', () => {
    expect(normalisePhone('(699) 555-2671', us)).toBeUndefined();
    expect(normalisePhone('(699) 555-2671', extra)).toEqual({
      e164: '+16995552671',
      country: 'US',
      type: undefined,
    });
    expect(countryOfPhone('+16995552671')).toBe('US');
  });

  it.each(['(698) 555-2671', '+1 699 555 267', '+1 699 555 26711', '+1 699', '+44 7 0000 0000'])(
    'an extra prefix does not make %s valid',
    (text) => {
      expect(normalisePhone(text, extra)).toBeUndefined();
    },
  );

  it('an extra prefix does not make a costly number acceptable', () => {
    const phone = normalisePhone('+1 900 555 1234', { ...us, extraPhonePrefixes: ['+1900'] });
    expect(phone && phoneProblem(phone, { allowedCountries: ['*'] })).toBe(
      'This kind of phone number cannot receive codes.',
    );
  });

  it('an extra prefix has at least two digits after a country calling code', () => {
    expect(['+169', '+1699', '+4479', '+35412', '+1684733'].map(isPhonePrefix)).toEqual([
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(
      ['1699', '+1', '+16', '+44', '+447', '+35', '+3541', '+8811', '+87077', '+99912', '*', '+0699'].filter(
        isPhonePrefix,
      ),
    ).toEqual([]);
  });
});

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

test('a country’s phone number pattern matches the numbers that the service assigns to it, and no others', () => {
  const wrong = numbers.flatMap((e164) => {
    const country = normalisePhone(e164, { defaultRegion: 'US' })?.country;
    const found = getCountries().filter((each) => isFound(e164, each));
    return found.length === 1 && found[0] === country ? [] : [{ e164, country, found }];
  });
  expect(wrong).toEqual([]);
});

test('the phone number pattern of a calling code’s main country matches numbers with an extra prefix', () => {
  const extra = ['+1699', '+4479999'];
  const isMatch = (e164: string, country: string): boolean =>
    new RegExp(phonePatternOf(country, extra)?.matches ?? '$^').test(e164);
  expect(['US', 'CA', 'JM', 'GB', 'JE'].filter((country) => isMatch('+16995552671', country))).toEqual([
    'US',
  ]);
  expect(['US', 'GB', 'JE'].filter((country) => isMatch('+447999912345', country))).toEqual(['GB']);
  expect(phonePatternOf('US')?.matches).not.toContain('699');
});

test('a country without phone numbers has no phone number pattern', () => {
  expect(phonePatternOf('AQ')).toBeUndefined();
  expect(phonePatternOf('XX')).toBeUndefined();
});
