import { type CountryCode, isSupportedCountry, Metadata } from 'libphonenumber-js/max';

/** What the library reads of a numbering plan, which its types leave out. */
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
  /** a LIKE pattern: the calling code */
  like: string;
  /** regular expressions on the whole number, for a calling code that several countries share */
  matches?: string;
  differs?: string;
}

/**
 * Undefined if the country has no phone numbers. Agrees with `normalisePhone` on the country of every valid number, and of every
 * number with one of the extra prefixes.
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
