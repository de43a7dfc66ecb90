import type { InsightRange } from '#contract/insights.ts';
import type { Interval } from './queries.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const LENGTH_MS: Record<InsightRange, number> = {
  '1h': HOUR_MS,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  '90d': 90 * DAY_MS,
};

export interface Period {
  from: Date;
  to: Date;
}

/** The end is included up to its current five minutes; the start is rounded down to five minutes. */
export function periodOf(
  { range, from, to }: { range: InsightRange; from?: string | undefined; to?: string | undefined },
  now: Date,
): Period {
  if (from !== undefined && to !== undefined) return { from: floor(new Date(from)), to: new Date(to) };
  const end = new Date(floor(now).getTime() + 5 * MINUTE_MS);
  return { from: new Date(end.getTime() - LENGTH_MS[range]), to: end };
}

const floor = (at: Date): Date => new Date(Math.floor(at.getTime() / (5 * MINUTE_MS)) * 5 * MINUTE_MS);

/** The period of the same length before. */
export const periodBefore = ({ from, to }: Period): Period => ({
  from: new Date(from.getTime() - (to.getTime() - from.getTime())),
  to: from,
});

/**
 * How wide a point of the series is. Counts of five minutes exist for the last three hours only, so an older period is shown by
 * hours.
 */
export function intervalOf({ from, to }: Period, now: Date): Interval {
  const lengthMs = to.getTime() - from.getTime();
  if (lengthMs <= 2 * HOUR_MS && now.getTime() - from.getTime() <= 3 * HOUR_MS) return 'five_minutes';
  return lengthMs <= 3 * DAY_MS ? 'hour' : 'day';
}
