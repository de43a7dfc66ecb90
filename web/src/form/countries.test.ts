import { type CountryCode, getCountries, getCountryCallingCode } from 'libphonenumber-js/min';
import { expect, test } from 'vitest';
import { countriesLike, countriesOf, dialCode, PHONE_COUNTRIES } from './countries.ts';

test('the country list equals the phone library’s list', () => {
  expect([...PHONE_COUNTRIES]).toEqual(getCountries().sort());
});

test('every country has the phone library’s dial code', () => {
  const wrong = PHONE_COUNTRIES.filter(
    (code) => dialCode(code) !== `+${getCountryCallingCode(code as CountryCode)}`,
  );
  expect(wrong).toEqual([]);
});

test('the deployment’s countries are sorted by name', () => {
  expect(countriesOf(['US', 'CA', 'DE']).map(({ name }) => name)).toEqual([
    'Canada',
    'Germany',
    'United States',
  ]);
  expect(countriesOf(['*'])).toHaveLength(PHONE_COUNTRIES.length);
});

test('a search finds a country by its name without accents, its code or its dial code', () => {
  const all = countriesOf(['*']);
  const found = (text: string) => countriesLike(all, text).map(({ code }) => code);
  expect(found('cote')).toEqual(['CI']);
  expect(found(' us')[0]).toBe('US');
  expect(found('+49')).toEqual(['DE']);
  expect(found('49')).toEqual(['DE']);
  expect(found('')).toHaveLength(all.length);
  expect(found('Atlantis')).toEqual([]);
});

test('a country whose name begins with the search comes before one that contains it', () => {
  const found = countriesLike(countriesOf(['*']), 'can').map(({ name }) => name);
  expect(found.slice(0, 2)).toEqual(['Canada', 'American Samoa']);
});
