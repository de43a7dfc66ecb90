import type { InsightRange } from '@sixdigit/contract/insights.ts';
import { daysBetween, hoursBetween } from '@sixdigit/contract/local-time.ts';
import { endOfFiveMinutes, startOfFiveMinutes } from '../platform/db/page.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const LENGTH_MS: Record<InsightRange, number> = {
  '1h': HOUR_MS,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '15d': 15 * DAY_MS,
  '30d': 30 * DAY_MS,
  '90d': 90 * DAY_MS,
};

/** The time that one point of the series covers. */
export type Interval = 'five_minutes' | 'hour' | 'day';

export interface Period {
  from: Date;
  to: Date;
}

/** A period that ends now includes the current five minutes. A given start is rounded down to five minutes. */
export function periodOf(
  { range, from, to }: { range: InsightRange; from?: string | undefined; to?: string | undefined },
  now: Date,
): Period {
  if (from !== undefined && to !== undefined)
    return { from: startOfFiveMinutes(new Date(from)), to: new Date(to) };
  const end = endOfFiveMinutes(now);
  return { from: new Date(end.getTime() - LENGTH_MS[range]), to: end };
}

/**
 * The preceding period of the same length. If the period has not ended, only as much of the preceding one as has passed of it, so
 * that an unfinished day is not compared with a whole one.
 */
export function periodBefore({ from, to }: Period, now: Date): Period {
  const start = from.getTime() - (to.getTime() - from.getTime());
  const passedMs = Math.max(0, endOfFiveMinutes(now).getTime() - from.getTime());
  return { from: new Date(start), to: new Date(Math.min(from.getTime(), start + passedMs)) };
}

/** Five-minute counts exist for the last three hours only, so an older period is shown by hours. */
export function intervalOf({ from, to }: Period, now: Date): Interval {
  const lengthMs = to.getTime() - from.getTime();
  if (lengthMs <= 2 * HOUR_MS && now.getTime() - from.getTime() <= 3 * HOUR_MS) return 'five_minutes';
  return lengthMs <= 3 * DAY_MS ? 'hour' : 'day';
}

const FIVE_MINUTES_MS = 5 * MINUTE_MS;

/** The start times of a series' points. The first point contains the beginning of the period. */
export function slotsOf({ from, to }: Period, interval: Interval, zone: string): Date[] {
  if (interval === 'day') return daysBetween(from, to, zone);
  if (interval === 'hour') return hoursBetween(from, to, zone);
  const count = Math.ceil((to.getTime() - from.getTime()) / FIVE_MINUTES_MS);
  return Array.from({ length: count }, (_, n) => new Date(from.getTime() + n * FIVE_MINUTES_MS));
}

/** A time range, and which rows to read for it. Five-minute rows have not been rolled up yet. */
export interface Window extends Period {
  rows: 'five_minutes' | 'hours' | 'days';
}

/** Covers a period with few rows: whole UTC days, and shorter rows before and after them. */
export function daysOf({ from, to }: Period): Window[] {
  const first = new Date(Math.ceil(from.getTime() / DAY_MS) * DAY_MS);
  const last = new Date(Math.floor(to.getTime() / DAY_MS) * DAY_MS);
  if (last <= first) return hoursOf({ from, to });
  const windows: Window[] = [
    { rows: 'five_minutes', from, to },
    { rows: 'hours', from, to: first },
    { rows: 'days', from: first, to: last },
    { rows: 'hours', from: last, to },
  ];
  return windows.filter((window) => window.from < window.to);
}

/** Covers a period with rows of an hour or less, for days in any time zone. */
export const hoursOf = ({ from, to }: Period): Window[] => [
  { rows: 'five_minutes', from, to },
  { rows: 'hours', from, to },
];
