import { expect, test } from 'vitest';
import { countryOf, groupedText, internationalText, nationalText } from './InternationalPhoneInput.tsx';

test('a national phone number converts to the international form and back', () => {
  expect(internationalText('20 7946 0958', 'GB')).toBe('+44 20 7946 0958');
  expect(nationalText('+44 20 7946 0958', 'GB')).toBe('20 7946 0958');
  expect(internationalText('', 'GB')).toBe('');
});

test('a phone number with a country code keeps it and selects its country', () => {
  expect(internationalText('+49 30 901820', 'GB')).toBe('+49 30 901820');
  expect(countryOf('+49 30 901820')).toBe('DE');
  expect(nationalText('+49 30 901820', 'DE')).toBe('30 901820');
});

test.each([
  ['(+49) 30 901820', '+49 30 901820'],
  ['++49 30 901820', '+49 30 901820'],
  ['tel:+49-30-901820', '+49-30-901820'],
  ['0049 30 901820', '+49 30 901820'],
  ['＋４９ ３０ ９０１８２０', '+49 30 901820'],
  ['+44 20 7', '+44 20 7'],
  ['020 7946 ', '+44 020 7946 '],
  ['0113 496 0123', '+44 0113 496 0123'],
])('the phone text %j becomes %j', (text, value) => {
  expect(internationalText(text, 'GB')).toBe(value);
});

test('in North America, 011 starts an international phone number', () => {
  expect(internationalText('011 49 30 901820', 'US')).toBe('+49 30 901820');
  expect(countryOf(internationalText('01149 30 901820', 'US'))).toBe('DE');
});

test('the phone field drops letters and dots', () => {
  expect(internationalText('20.7946x0958', 'GB')).toBe('+44 2079460958');
});

test('a complete number gets the spaces of its country, an incomplete one stays as typed', () => {
  expect(['+44 7400123456', '+49 30901820', '+44 74001', ''].map(groupedText)).toEqual([
    '+44 7400 123456',
    '+49 30 901820',
    '+44 74001',
    '',
  ]);
});
