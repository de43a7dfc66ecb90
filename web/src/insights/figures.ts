import {
  conversionOf,
  type Figures,
  type Insights,
  OUTCOME_NAMES,
  type Outcomes,
  openOf,
  type Totals,
} from '@sixdigit/contract/insights.ts';
import { countryName } from '../ui/display-names.ts';
import { countOf, percent, signOf } from '../ui/numbers.ts';

/** 'United States'. Email has no country. */
export const groupCountry = (country: string | null): string =>
  country === null ? 'No country (email)' : countryName(country);

/** '1,234' */
export const whole = (value: number): string => value.toLocaleString('en-US');
/** '950', '12K', '1.2M' */
export const compact = (value: number): string =>
  value.toLocaleString('en-US', { notation: 'compact', maximumFractionDigits: 1 });
/** Axis steps for durations, in seconds. From a minute on, all values of an axis have the same unit. */
export const DURATION_STEPS = [0.5, 1, 2, 5, 10, 15, 60, 120, 300, 600, 900, 1_800, 3_600] as const;

/** '50 s', '2 min' */
export const shortDuration = (seconds: number): string =>
  seconds < 60 ? `${compact(seconds)} s` : `${compact(seconds / 60)} min`;
/** '8.4 s', '2 min 5 s' */
export function duration(seconds: number | null): string {
  if (seconds === null) return '–';
  if (seconds < 60) return `${seconds.toLocaleString('en-US', { maximumFractionDigits: 1 })} s`;
  const rest = Math.round(seconds % 60);
  return rest === 0 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 60)} min ${rest} s`;
}

/** '6 sends were refused, 4 of them for lack of credits.' Undefined without any. */
export function refusedText({ sends, without_credits, has_more }: Insights['refused']): string | undefined {
  if (sends === 0) return undefined;
  const all = `${has_more ? 'More than ' : ''}${countOf(sends, 'send was', 'sends were')} refused`;
  if (without_credits === 0) return `${all}.`;
  if (without_credits === sends && !has_more) return `${all} for lack of credits.`;
  return `${all}, ${whole(without_credits)} of them for lack of credits.`;
}

interface StepCounts {
  step: number;
  verified: number;
  credits: number;
}

/** What the steps after the first one gained and cost. */
export function fallbackText(steps: readonly StepCounts[]): string {
  const later = steps.filter(({ step }) => step > 1);
  const total = (all: readonly StepCounts[], of: 'verified' | 'credits') =>
    all.reduce((sum, one) => sum + one[of], 0);
  const [verified, credits] = [total(later, 'verified'), total(later, 'credits')];
  const cost = `Fallback messages cost ${countOf(credits, 'credit')}`;
  if (verified === 0) return `No code was entered after a fallback. ${cost}.`;
  const codes = countOf(verified, 'code was', 'codes were');
  const each = (credits / verified).toLocaleString('en-US', { maximumFractionDigits: 1 });
  return `${codes} entered only after a fallback, ${percent(verified / total(steps, 'verified'))} of all. ${cost}, ${each} for each of them.`;
}

/** '24 codes verified elsewhere': own codes, such as those of connections. Undefined without any. */
export const ownCodesOf = ({ own_codes }: Pick<Totals, 'own_codes'>): string | undefined =>
  own_codes === 0 ? undefined : `${countOf(own_codes, 'code')} verified elsewhere`;

/**
 * Whether carriers report deliveries. Every verified code was delivered, so with fewer reports than verified codes the funnel
 * omits the step.
 */
export const hasReports = ({ delivered, verified }: Pick<Totals, 'delivered' | 'verified'>): boolean =>
  delivered > 0 && delivered >= verified;

export interface Figure {
  label: string;
  value: string;
  /** the change since the previous period; undefined if there is nothing to compare */
  change: { text: string; isGood: boolean | null } | undefined;
  /** describes the comparison: '1,300 in the period before' */
  comparison: string;
}

/** The color of a change. */
export const toneOf = (change: Figure['change']): string =>
  change?.isGood == null ? 'text-ink-soft' : change.isGood ? 'text-green' : 'text-red';

/** Smaller changes are neither good nor bad. */
const LEAST_SHARE = 0.05;
const LEAST_POINTS = 1;

/** The relative change of an amount, such as '+12%'. */
const changeOf = (
  now: number | null,
  before: number | null,
  isMoreGood: boolean | null,
): Figure['change'] => {
  if (now === null || before === null || before === 0) return undefined;
  const share = (now - before) / before;
  const isSame = Math.abs(share) < 0.0005;
  return {
    text: isSame ? percent(0) : `${signOf(share)}${percent(Math.abs(share))}`,
    isGood: Math.abs(share) < LEAST_SHARE || isMoreGood === null ? null : share > 0 === isMoreGood,
  };
};

/** The difference of two shares in percentage points, such as '−3.2 points'. */
const pointsOf = (now: number | null, before: number | null, isMoreGood = true): Figure['change'] => {
  if (now === null || before === null) return undefined;
  const points = Math.round((now - before) * 1_000) / 10;
  return {
    text: `${signOf(points)}${Math.abs(points).toLocaleString('en-US')} points`,
    isGood: Math.abs(points) < LEAST_POINTS ? null : points > 0 === isMoreGood,
  };
};

type Amounts = Pick<
  Figures,
  'sent' | 'conversion' | 'median_seconds' | 'failed' | 'own_codes' | 'own_failed' | 'credits'
>;
interface Measure {
  label: string;
  /** the label where there is little room */
  short?: string;
  of: (amounts: Amounts) => number | null;
  text: (value: number | null) => string;
  change: (now: number | null, before: number | null) => Figure['change'];
  /** the share that is compared instead of the amount, because more sends also fail more often */
  share?: (amounts: Amounts) => number | null;
}
const amount = (value: number | null): string => whole(value ?? 0);
const better =
  (isMoreGood: boolean | null): Measure['change'] =>
  (now, before) =>
    changeOf(now, before, isMoreGood);

const conversionIn = ({ conversion }: Amounts): number | null => conversion;
const sendsIn = ({ sent, own_codes }: Amounts): number => sent + own_codes;
const failedIn = ({ failed, own_failed }: Amounts): number => failed + own_failed;

/** The figures of every overview, in display order. They count own codes, such as those of connections, where the list does. */
export const MEASURES: readonly Measure[] = [
  { label: 'Sends', of: sendsIn, text: amount, change: better(null) },
  { label: 'Conversion', of: conversionIn, text: percent, change: pointsOf },
  {
    label: 'Median time to verify',
    short: 'Median time',
    of: ({ median_seconds }) => median_seconds,
    text: duration,
    change: better(false),
  },
  {
    label: 'Failed',
    of: failedIn,
    text: amount,
    share: (amounts) => (sendsIn(amounts) === 0 ? null : failedIn(amounts) / sendsIn(amounts)),
    change: (now, before) => pointsOf(now, before, false),
  },
  {
    label: 'Credits spent',
    short: 'Credits',
    of: ({ credits }) => credits,
    text: amount,
    change: better(null),
  },
];

interface Series extends Pick<Insights, 'interval' | 'from' | 'as_of'> {
  series: readonly (Figures & { at: string })[];
}
/** The figures of a period, and those of the period before if they are known. */
export interface Figured extends Series {
  totals: Figures;
  before: Figures | null;
}

/**
 * The figures of a period. The conversion is compared without the slots in which a send can still be verified, and failures by
 * their share of all sends.
 */
export const figuresOf = ({ totals, before, ...data }: Figured): Figure[] =>
  MEASURES.map(({ label, of, text, change, share }) => {
    const figure = { label, value: text(of(totals)) };
    if (before === null) return { ...figure, change: undefined, comparison: '' };
    if (share) {
      const [now, then] = [share(totals), share(before)];
      const comparison = `${percent(now)} of all sends, ${percent(then)} in the period before`;
      return { ...figure, change: change(now, then), comparison };
    }
    const was = `${text(of(before))} in the period before`;
    if (of !== conversionIn) return { ...figure, change: change(of(totals), of(before)), comparison: was };
    const settled = settledConversion(data);
    const isWhole = settled === totals.conversion;
    return {
      ...figure,
      change: change(settled, before.conversion),
      comparison: isWhole ? was : `${was}, ${text(settled)} now without ${UNFINISHED[data.interval]}`,
    };
  });

const UNFINISHED: Record<Insights['interval'], string> = {
  five_minutes: 'sends that are still open',
  hour: 'the unfinished hour',
  day: 'the unfinished day',
};

/** The conversion of the slots that have ended and have no open sends. */
function settledConversion(data: Series): number | null {
  const settled = data.series.filter((slot) => !isUnfinished(data, slot.at) && openOf(slot) === 0);
  const sums = OUTCOME_NAMES.map((name) => [name, settled.reduce((sum, slot) => sum + slot[name], 0)]);
  return conversionOf(Object.fromEntries(sums) as unknown as Outcomes);
}

const LENGTHS_MS: Record<Insights['interval'], number> = {
  five_minutes: 300_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** Whether a slot has not ended. A 25-hour day counts as ended in its last hour. */
export const isUnfinished = (
  { interval, as_of }: Pick<Insights, 'interval' | 'as_of'>,
  at: string,
): boolean => at <= as_of && Date.parse(as_of) < Date.parse(at) + LENGTHS_MS[interval];

/** The groups with sends, largest first. Groups with only own codes have none: those codes are not verified here. */
export const bySends = <G extends { sent: number }>(groups: readonly G[]): G[] =>
  groups.filter(({ sent }) => sent > 0).sort((one, other) => other.sent - one.sent);

/** The values of a small line without axes. It omits a first slot of which the period covers only a part. */
export function trendOf(
  data: Series,
  of: (amounts: Amounts) => number | null,
): { values: (number | null)[]; isLastOpen: boolean } {
  const whole = data.series.filter(({ at }) => at >= data.from);
  const last = whole.at(-1);
  return {
    values: whole.map(of),
    isLastOpen: last !== undefined && isUnfinished(data, last.at),
  };
}
