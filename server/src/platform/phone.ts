import {
  type CountryCode,
  type NumberType,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { asciiDigits } from './digits.ts';

export interface Phone {
  /** `+` and at most fifteen digits (ITU-T E.164) */
  e164: string;
  /** ISO 3166-1 alpha-2; absent for numbers of no country, such as satellite phones */
  country: string | undefined;
  /** `PREMIUM_RATE`, `MOBILE`, …; absent where the numbering plan does not tell */
  type: NumberType;
}

interface PhoneOptions {
  /** whose national numbers may come without a country code, ISO 3166-1 alpha-2 */
  defaultRegion: string;
}

/** A number that its country's numbering plan knows; digits of any script. Extensions and letters are none. */
export function normalisePhone(text: string, options: PhoneOptions): Phone | undefined {
  const number = parse(text, options);
  if (!number?.isValid()) return undefined;
  return { e164: number.number, country: number.country, type: number.getType() };
}

/** E.164 of what has the length of a number, whether or not it was ever given out: what a person may have entered. */
export function possiblePhone(text: string, options: PhoneOptions): string | undefined {
  const number = parse(text, options);
  return number?.isPossible() ? number.number : undefined;
}

/** Types of numbers that cost more than a call to a person's phone. Personal numbers are forwarded at the caller's expense. */
const COSTLY = new Set<NumberType>([
  'PREMIUM_RATE',
  'SHARED_COST',
  'PERSONAL_NUMBER',
  'PAGER',
  'VOICEMAIL',
  'UAN',
]);

/**
 * Why no code is sent to a number, or undefined. `*` allows every country, but never a number of no country: satellite and
 * international networks (+870, +881, +882, +883, +888, +979) cost many times as much as a text to a country.
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

/** ASCII digits, plus and dashes for their relatives, without the invisible marks that come along when pasting. */
function plainText(text: string): string {
  return asciiDigits(text)
    .replace(/\p{Cf}/gu, '')
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .trim();
}
