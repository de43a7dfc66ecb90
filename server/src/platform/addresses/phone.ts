import { plainPhone } from '@sixdigit/contract/text/phone-text.ts';
import {
  type CountryCode,
  getCountries,
  isSupportedCountry,
  Metadata,
  type NumberType,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';

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

/** A sentence that says why a text is not a country. Undefined if it is one. */
export const countryProblem = (country: string): string | undefined =>
  COUNTRIES.has(country) ? undefined : `${country} is no country with phone numbers.`;

export interface PhoneOptions {
  /** the country of national numbers without a country code, ISO 3166-1 alpha-2 */
  defaultRegion: string;
  /** prefixes of numbers that are newer than the numbering plans, such as `+1999` */
  extraPhonePrefixes?: readonly string[];
}

/**
 * Parses a number that is valid in its country's numbering plan, or has a valid length and one of the extra prefixes. Accepts every
 * spelling of `plainPhone`. Refuses extensions and letters.
 */
export function normalisePhone(text: string, options: PhoneOptions): Phone | undefined {
  const number = parse(text, options);
  if (!number) return undefined;
  const type = number.getType();
  // A number with a type is valid. Calling `isValid` as well would match all patterns of its country a second time.
  if (type !== undefined || number.isValid()) return { e164: number.number, country: number.country, type };
  const isExtra = options.extraPhonePrefixes?.some((prefix) => number.number.startsWith(prefix));
  if (!isExtra || !number.isPossible()) return undefined;
  return { e164: number.number, country: mainCountryOf(number.countryCallingCode), type };
}

/** The country of a number in E.164. A number with an extra prefix belongs to the first country of its calling code. */
export function countryOfPhone(e164: string): string | undefined {
  const number = parsePhoneNumberFromString(e164, { extract: false });
  return number?.country ?? (number?.isPossible() ? mainCountryOf(number.countryCallingCode) : undefined);
}

/** The first country of a calling code. Undefined for codes of networks without a country. */
function mainCountryOf(callingCode: string): string | undefined {
  const plans = new Metadata() as unknown as {
    getCountryCodesForCallingCode(code: string): readonly string[] | undefined;
  };
  const main = plans.getCountryCodesForCallingCode(callingCode)?.[0];
  return main === '001' ? undefined : main;
}

/**
 * Whether a text is a country's calling code followed by at least two more digits, so that a prefix never covers a whole
 * country.
 */
export function isPhonePrefix(text: string): boolean {
  if (!/^\+[1-9]\d{2,11}$/.test(text)) return false;
  return [1, 2, 3].some(
    (length) => text.length >= length + 3 && mainCountryOf(text.slice(1, length + 1)) !== undefined,
  );
}

/** A number with a valid length in E.164, whether or not it is assigned. For numbers that a person may have entered. */
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

/** The problem of a number outside the allowed countries. */
export const COUNTRY_REFUSED = 'Phone numbers of this country are not allowed on this service.';

/**
 * Why codes must not be sent to a number, or undefined. `*` allows every country but not non-geographic numbers, because
 * satellite and international networks (+870, +881, +882, +883, +888, +979) cost many times the price of an ordinary SMS.
 */
export function phoneProblem(
  phone: Phone,
  { allowedCountries }: { allowedCountries: readonly string[] },
): string | undefined {
  if (phone.country === undefined || COSTLY.has(phone.type))
    return 'This kind of phone number cannot receive codes.';
  if (allowedCountries.includes('*') || allowedCountries.includes(phone.country)) return undefined;
  return COUNTRY_REFUSED;
}

function parse(text: string, { defaultRegion }: PhoneOptions): PhoneNumber | undefined {
  const plain = plainPhone(text);
  if (plain.length > 40 || !/^\+?[\d\s()./-]+$/.test(plain)) return undefined;
  const number = parsePhoneNumberFromString(plain, {
    defaultCountry: defaultRegion as CountryCode,
    extract: false,
  });
  // Many people write 00 even in countries that dial another prefix, such as 011. National numbers do not begin with 00.
  if (!/^0[^\d]*0/.test(plain) || number?.isValid()) return number;
  return parsePhoneNumberFromString(plain.replace(/^0[^\d]*0/, '+'), { extract: false }) ?? number;
}

/** Methods of the library's numbering plans that its types omit. */
interface Plan {
  callingCode(): string;
  leadingDigits(): string | 0 | undefined;
  types(): readonly (readonly [pattern: string, ...unknown[]] | 0)[] | undefined;
}
interface Plans {
  selectNumberingPlan(country: CountryCode): void;
  numberingPlan: Plan;
  getCountryCodesForCallingCode(callingCode: string): readonly CountryCode[];
}

/** Finds the phone numbers of one country among stored recipients, in E.164. */
export interface PhonePattern {
  /** a LIKE pattern for the calling code */
  like: string;
  /** regular expressions that the whole number must and must not match, if several countries share the calling code */
  matches?: string;
  differs?: string;
}

/**
 * Undefined if the country has no phone numbers. Agrees with `normalisePhone` about the country of every valid number and of
 * every number with an extra prefix.
 */
export function phonePatternOf(
  country: string,
  extraPrefixes: readonly string[] = [],
): PhonePattern | undefined {
  if (!isSupportedCountry(country)) return undefined;
  const plans = new Metadata() as unknown as Plans;
  plans.selectNumberingPlan(country);
  const code = plans.numberingPlan.callingCode();
  const like = `+${code}%`;
  const sharing = plans.getCountryCodesForCallingCode(code);
  if (sharing.length === 1) return { like };
  // A number belongs to the first country of the list whose patterns it matches.
  const earlier = sharing.slice(0, sharing.indexOf(country));
  return {
    like,
    matches: numbersOf(plans, code, [country], country === sharing[0] ? extraPrefixes : []),
    ...(earlier.length > 0 && { differs: numbersOf(plans, code, earlier) }),
  };
}

function numbersOf(
  plans: Plans,
  code: string,
  countries: readonly CountryCode[],
  extraPrefixes: readonly string[] = [],
): string {
  const national = countries.flatMap((country) => {
    plans.selectNumberingPlan(country);
    const leading = plans.numberingPlan.leadingDigits();
    if (leading) return [`(?:${leading})[0-9]*`];
    return (plans.numberingPlan.types() ?? []).flatMap((type) => (type && type[0] ? [type[0]] : []));
  });
  const extra = extraPrefixes
    .filter((prefix) => prefix.startsWith(`+${code}`))
    .map((prefix) => `${prefix.slice(code.length + 1)}[0-9]*`);
  return `^\\+${code}(?:${[...national, ...extra].join('|')})$`;
}
