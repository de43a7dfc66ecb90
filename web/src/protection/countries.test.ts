import { getCountries } from 'libphonenumber-js/min';
import { expect, test } from 'vitest';
import { countriesLike, countriesOf, PHONE_COUNTRIES } from './countries.ts';

test('the country list equals the phone library’s list', () => {
  expect([...PHONE_COUNTRIES]).toEqual(getCountries().sort());
});

test('the deployment’s countries are sorted by name', () => {
  expect(countriesOf(['US', 'CA', 'DE']).map(({ name }) => name)).toEqual([
    'Canada',
    'Germany',
    'United States',
  ]);
  expect(countriesOf(['*'])).toHaveLength(PHONE_COUNTRIES.length);
});

test('a search finds a country by its name without accents, or by its code', () => {
  const all = countriesOf(['*']);
  expect(countriesLike(all, 'cote').map(({ code }) => code)).toEqual(['CI']);
  expect(countriesLike(all, ' us').map(({ code }) => code)).toContain('US');
  expect(countriesLike(all, '')).toHaveLength(all.length);
});
