import { plainPhone } from '@sixdigit/contract/text/phone-text.ts';
import { type CountryCode, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** The field's value is international, '+44 20 7946 0958'; the user edits the national part, '20 7946 0958'. */

/** The country of an international number, if it is known. */
export const countryOf = (value: string): CountryCode | undefined =>
  parsePhoneNumberFromString(value)?.country;

const prefixOf = (country: CountryCode): string => `+${getCountryCallingCode(country)}`;

/** The value without the country code. */
export function nationalText(value: string, country: CountryCode): string {
  const prefix = prefixOf(country);
  return value.startsWith(prefix) ? value.slice(prefix.length).trimStart() : value;
}

/** The text as an international number, if it begins with + or with the prefix for international calls. */
export function withOwnCode(text: string, country: CountryCode): string | undefined {
  const number = kept(text).replace(prefixOf(country) === '+1' ? /^(?:00|011)\s*/ : /^00\s*/, '+');
  return number.startsWith('+') ? number : undefined;
}

/** The value of a national text, or of one with its own country code. */
export function internationalText(text: string, country: CountryCode): string {
  if (kept(text) === '') return '';
  return withOwnCode(text, country) ?? `${prefixOf(country)} ${kept(text)}`;
}

/** While it is typed, a number keeps its spaces. */
const kept = (text: string): string =>
  (/^\+?[\d\s()-]*$/.test(text) ? text : plainPhone(text)).replace(/[^\d\s()+-]/g, '').trimStart();
