import { type AccountLimits, KEY_REQUESTS_PER_SECOND } from '@sixdigit/contract/operator/limits.ts';
import type { OperatorSetting } from '@sixdigit/contract/operator/settings.ts';
import { countryName, countryNames } from '../../ui/country-name.ts';

export type DefaultLimits = Record<Exclude<keyof AccountLimits, 'is_trusted'>, string>;

const COUNTRIES_SHOWN = 5;
const UNKNOWN = '–';

/** What applies to an account without its own limits, as text. */
export function defaultLimits(settings: readonly OperatorSetting[]): DefaultLimits {
  const settingOf = (wanted: string): string => {
    const found = settings.find(({ name }) => name === wanted);
    return found ? (found.override ?? found.environment) : UNKNOWN;
  };
  return {
    requests_per_second: String(KEY_REQUESTS_PER_SECOND),
    recipient_sends_per_10_min: settingOf('RECIPIENT_SENDS_PER_10_MIN'),
    recipient_sends_per_day: settingOf('RECIPIENT_SENDS_PER_DAY'),
    daily_credit_limit: 'no limit',
    monthly_credit_limit: 'no limit',
    countries: countriesText(settingOf('ALLOWED_COUNTRIES')),
  };
}

function countriesText(value: string): string {
  if (value === UNKNOWN) return value;
  const codes = value.split(/[\s,]+/).filter((code) => code !== '');
  if (codes.includes('*')) return 'all countries';
  const more = codes.length - COUNTRIES_SHOWN;
  if (more <= 0) return countryNames(codes);
  return `${codes.slice(0, COUNTRIES_SHOWN).map(countryName).join(', ')} and ${more} more`;
}
