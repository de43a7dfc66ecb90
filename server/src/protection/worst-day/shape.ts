import { BACK_TEST_DAYS, LEARNING } from '@sixdigit/contract/protection/protection.ts';
import type { PastSends } from '../back-test.ts';
import { clientOf, countryOf, prefixOf } from '../destination.ts';
import { COUNTRIES, DAY, HOUR } from './traffic.ts';

/** How the users of an account request codes. */
export interface Shape {
  from_ms: number | null;
  to_ms: number | null;
  sends_per_day: number;
  /** the share of each hour (UTC) in the sends of a day */
  hours: readonly number[];
  /** the share of sends with the end user's address */
  with_client: number;
  countries: readonly CountryShape[];
}

export interface CountryShape {
  code: string;
  /** of all sends */
  share: number;
  /** of its sends whose code is verified */
  conversion: number;
  /** of its sends to known recipients */
  known: number;
  /** how many blocks of 10,000 numbers its users have */
  prefixes: number;
}

/** The rest has less than a percent of the sends. */
const COUNTRIES_MOST = 30;
const DAY_HOURS = 24;

/** Users who are most active in the afternoon, in ten countries. */
export const DEFAULT_SHAPE: Shape = {
  from_ms: null,
  to_ms: null,
  sends_per_day: 24_000,
  hours: Array.from(
    { length: DAY_HOURS },
    (_, hour) => (1 + 0.6 * Math.sin(((hour - 8) / DAY_HOURS) * 2 * Math.PI)) / DAY_HOURS,
  ),
  with_client: 1,
  countries: COUNTRIES.map(({ code, share, conversion, prefixes }) => ({
    code,
    share,
    conversion,
    prefixes,
    known: 0.6,
  })),
};

interface Counted {
  sends: number;
  over: number;
  verified: number;
  known: number;
  prefixes: Set<string>;
}

/** The shape of an account's last 30 days. Yields after each send. */
export function* shapeOf({ sends, limited_by }: PastSends, now: Date): Generator<void, Shape> {
  const to_ms = now.getTime();
  const start = to_ms - BACK_TEST_DAYS * DAY;
  const first = sends[0]?.sent_ms ?? start;
  // If older sends were not read, the days before the first one are not days without sends.
  const from_ms = limited_by === null ? start : Math.max(start, first);
  const hours = Array.from({ length: DAY_HOURS }, () => 0);
  const byCountry = new Map<string, Counted>();
  let [all, withClient] = [0, 0];
  for (const { number, country: stored, client_ip, sent_ms, end, known } of sends) {
    yield;
    const country = number === null ? undefined : (stored ?? countryOf(number));
    if (number === null || country === undefined || sent_ms < from_ms || end?.event === 'void') continue;
    all += 1;
    if (clientOf(client_ip).client !== null) withClient += 1;
    const hour = Math.floor((sent_ms % DAY) / HOUR);
    hours[hour] = (hours[hour] ?? 0) + 1;
    const counted = byCountry.get(country) ?? {
      sends: 0,
      over: 0,
      verified: 0,
      known: 0,
      prefixes: new Set(),
    };
    counted.sends += 1;
    if (end) counted.over += 1;
    if (end?.event === 'verified') counted.verified += 1;
    if (known !== null) counted.known += 1;
    counted.prefixes.add(prefixOf(number));
    byCountry.set(country, counted);
  }
  const days = Math.max(1, (to_ms - from_ms) / DAY);
  return {
    from_ms,
    to_ms,
    sends_per_day: all / days,
    hours: hours.map((sent) => (all === 0 ? 1 / DAY_HOURS : sent / all)),
    // A new account is expected to do as the documentation says.
    with_client: all === 0 ? 1 : withClient / all,
    countries: [...byCountry]
      .sort(([one, a], [other, b]) => b.sends - a.sends || (one < other ? -1 : 1))
      .slice(0, COUNTRIES_MOST)
      .map(([code, { sends: sent, over, verified, known, prefixes }]) => ({
        code,
        share: sent / all,
        conversion: over === 0 ? 0 : verified / over,
        known: known / sent,
        prefixes: prefixes.size,
      })),
  };
}

/** Over all countries, weighted by their sends. */
export const shareOfAll = ({ countries }: Shape, of: 'conversion' | 'known'): number =>
  countries.reduce((sum, country) => sum + country.share * country[of], 0);

/** Whether too few codes are verified for the rules that learn, which then only monitor. */
export const isLearning = (shape: Shape): boolean =>
  shape.sends_per_day * LEARNING.days < LEARNING.finished ||
  shareOfAll(shape, 'conversion') * 100 < LEARNING.verified_percent;
