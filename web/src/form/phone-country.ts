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

/** The value of a national text. A text that begins with + has its own country code. */
export function internationalText(text: string, country: CountryCode): string {
  const kept = text.replace(/[^\d\s()+-]/g, '');
  if (kept.trim() === '') return '';
  return kept.trimStart().startsWith('+') ? kept.trimStart() : `${prefixOf(country)} ${kept}`;
}
