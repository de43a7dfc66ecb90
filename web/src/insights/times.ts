import type { Insights } from '@sixdigit/contract/insights.ts';
import { duration } from './figures.ts';

/** Upper ends, in seconds, of the rows into which the buckets are gathered. */
const ENDS = [5, 10, 20, 60, 300, Number.POSITIVE_INFINITY] as const;

/** Right codes by the time that they took. */
export const shareOfTimes = ({ times }: Pick<Insights, 'times'>): { name: string; value: number }[] =>
  ENDS.map((end, n) => {
    const start = ENDS[n - 1] ?? 0;
    const name = Number.isFinite(end) ? `Up to ${duration(end)}` : `Over ${duration(start)}`;
    const within = times.filter(({ from_seconds }) => from_seconds >= start && from_seconds < end);
    return { name, value: within.reduce((sum, { verified }) => sum + verified, 0) };
  });
