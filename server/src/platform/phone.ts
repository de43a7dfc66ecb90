import {
  type CountryCode,
  getCountries,
  type NumberType,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { asciiDigits } from './digits.ts';

export interface Phone {
  /** `+` and at most fifteen digits (ITU-T E.164) */
  e164: string;
  /** ISO 3166-1 alpha-2; undefined for non-geographic numbers, such as satellite phones */
  country: string | undefined;
  /** `PREMIUM_RATE`, `MOBILE`, …; undefined if the numbering plan does not distinguish */
  type: NumberType;
}

const COUNTRIES: ReadonlySet<string> = new Set(getCountries());

/** Every country with phone numbers, ISO 3166-1 alpha-2. */
export const countriesOfPhones = (): ReadonlySet<string> => COUNTRIES;

/** Why a text is no country of a setting or field, for people; undefined if it is one. */
export const countryProblem = (country: string): string | undefined =>
  COUNTRIES.has(country) ? undefined : `${country} is no country with phone numbers.`;

interface PhoneOptions {
  /** the country of national numbers without a country code, ISO 3166-1 alpha-2 */
  defaultRegion: string;
}

/** Parses a number that is valid in its country's numbering plan, with digits of any script. Refuses extensions and letters. */
export function normalisePhone(text: string, options: PhoneOptions): Phone | undefined {
  const number = parse(text, options);
  const type = number?.getType();
  // A number with a type is valid, and checking again would match all patterns of its country a second time.
  if (!number || (type === undefined && !number.isValid())) return undefined;
  return { e164: number.number, country: number.country, type };
}

/** E.164 of a number with a valid length, assigned or not: for numbers that a person may have entered. */
export function possiblePhone(text: string, options: PhoneOptions): string | undefined {
  const number = parse(text, options);
  return number?.isPossible() ? number.number : undefined;
}

/** Number types that cost more than an ordinary call. Personal numbers are forwarded at the caller's expense. */
const COSTLY = new Set<NumberType>([
  'PREMIUM_RATE',
  'SHARED_COST',
  'PERSONAL_NUMBER',
  'PAGER',
  'VOICEMAIL',
  'UAN',
]);

/**
 * Why no code may be sent to a number, or undefined. `*` allows every country, but no non-geographic number: satellite and
 * international networks (+870, +881, +882, +883, +888, +979) cost many times the price of an ordinary SMS.
 */
export function phoneProblem(
  phone: Phone,
  { allowedCountries }: { allowedCountries: readonly string[] },
): string | undefined {
  if (phone.country === undefined || COSTLY.has(phone.type))
    return 'This kind of phone number cannot receive codes.';
  if (allowedCountries.includes('*') || allowedCountries.includes(phone.country)) return undefined;
  return 'Phone numbers of this country are not allowed on this service.';
}

function parse(text: string, { defaultRegion }: PhoneOptions): PhoneNumber | undefined {
  const plain = plainText(text);
  if (plain.length > 40 || !/^\+?[\d\s()./-]+$/.test(plain)) return undefined;
  return parsePhoneNumberFromString(plain, {
    defaultCountry: defaultRegion as CountryCode,
    extract: false,
  });
}

/** Replaces variants of digits, plus and dashes with ASCII, and removes invisible characters that pasting adds. */
function plainText(text: string): string {
  return asciiDigits(text)
    .replace(/\p{Cf}/gu, '')
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .trim();
}
