import { TIME_BOUNDS } from '@sixdigit/contract/insights.ts';

export interface Bucket {
  bucket: number;
  verified: number;
}

/** Bounds of a bucket in seconds; the last one has no upper bound. */
export const boundsOf = (bucket: number): { from_seconds: number; to_seconds: number | null } => ({
  from_seconds: TIME_BOUNDS[bucket - 1] ?? 0,
  to_seconds: TIME_BOUNDS[bucket] ?? null,
});

/**
 * A quantile of durations, in seconds, interpolated within its bucket and rounded to a tenth. Null without durations. The last
 * bucket counts as its lower bound.
 */
export function quantileOf(buckets: readonly Bucket[], q: number): number | null {
  const total = buckets.reduce((sum, { verified }) => sum + verified, 0);
  if (total === 0) return null;
  const rank = q * total;
  let below = 0;
  for (const { bucket, verified } of buckets) {
    if (below + verified >= rank) {
      const { from_seconds, to_seconds } = boundsOf(bucket);
      const share = (rank - below) / verified;
      const seconds = from_seconds + share * ((to_seconds ?? from_seconds) - from_seconds);
      return Math.round(seconds * 10) / 10;
    }
    below += verified;
  }
  return null;
}
