import { type Counts, inDay, inMinutes, MINUTES_A_DAY, minuteBelow, type Series } from './series.ts';

/** Unverified sends, and how many of them a client or a country may have. */
const HOUR = 60;

export const unverifiedIn = {
  day: (series: Series | undefined, now: number): number =>
    Math.max(0, inDay(series, 'tried', now) - inDay(series, 'verified', now)),
  hour: (series: Series | undefined, now: number): number =>
    Math.max(0, inMinutes(series, 'tried', HOUR, now) - inMinutes(series, 'verified', HOUR, now)),
};

/** How many unverified sends are allowed per verified send: the rule's percentage, or more if the usual conversion is low. */
export function allowedShare(percent: number, conversion: number | undefined): number {
  const usual =
    conversion === undefined || conversion <= 0 ? 0 : ((1 - conversion) / conversion) * USUAL_TIMES;
  return Math.max(percent / 100, Math.min(usual, SHARE_MOST));
}
/** A day with this many times the usual share of unverified sends is still normal. */
const USUAL_TIMES = 1.5;
/** The most unverified sends per verified send that are learned from history: the ratio at a conversion of 40 %. */
const SHARE_MOST = 1.5;

/** What a limit follows, for people. */
export const VERIFIED = 'a limit from your verified codes';
export const SIXTH = 'a sixth of the daily limit, at least 5';

export interface Budget {
  day: number;
  dayLimit: number;
  hour: number;
  hourLimit: number;
  now: number;
}

/** The minute from which both counts are below their limits again; null if they are. */
export function unverifiedEnd(
  series: Series | undefined,
  { day, dayLimit, hour, hourLimit, now }: Budget,
): number | null {
  const unverified = ({ tried, verified }: Counts) => tried - verified;
  const ends = [
    hour >= hourLimit ? minuteBelow(series, unverified, { span: HOUR, limit: hourLimit, now }) : undefined,
    day >= dayLimit
      ? minuteBelow(series, unverified, { span: MINUTES_A_DAY, limit: dayLimit, now })
      : undefined,
  ].filter((end) => end !== undefined);
  return ends.length > 0 ? Math.max(...ends) : null;
}
