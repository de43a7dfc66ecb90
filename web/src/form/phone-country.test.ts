import { expect, test } from 'vitest';
import { countryOf, internationalText, nationalText } from './phone-country.ts';

test('a national number becomes international and back', () => {
  expect(internationalText('20 7946 0958', 'GB')).toBe('+44 20 7946 0958');
  expect(nationalText('+44 20 7946 0958', 'GB')).toBe('20 7946 0958');
  expect(internationalText('', 'GB')).toBe('');
});

test('a number with its own country code keeps it and names its country', () => {
  expect(internationalText('+49 30 901820', 'GB')).toBe('+49 30 901820');
  expect(countryOf('+49 30 901820')).toBe('DE');
  expect(nationalText('+49 30 901820', 'DE')).toBe('30 901820');
});

test('letters and dots are dropped', () => {
  expect(internationalText('20.7946x0958', 'GB')).toBe('+44 2079460958');
});
