import { retryAfterSeconds } from '../platform/http/retry-after.ts';
import type { Needs } from '../platform/platform.ts';
import { jitter } from '../platform/random.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Seconds to the next try, by tries made: ten tries in 75 h 35 min. Standard Webhooks, "Deliverability and Reliability". */
const STEPS = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
const JITTER = 0.2;

/** Overloaded, or something before the endpoint is: they get a minute at least. */
const THROTTLING = new Set([429, 502, 504]);
const THROTTLED_SECONDS = 60;

export interface Refused {
  status: number | null;
  /** the header as it came */
  retryAfter: string | undefined;
}

/**
 * Seconds until the next try after `tries` of them, or undefined when there is none. A step is spread by 20 % either way,
 * so that what failed together does not come back together. `Retry-After` is obeyed between one and two steps.
 */
export function retryDelaySeconds(
  app: Needs<'random' | 'clock'>,
  tries: number,
  { status, retryAfter }: Refused,
): number | undefined {
  const step = STEPS[tries - 1];
  if (step === undefined) return undefined;
  const asked = retryAfter === undefined ? undefined : retryAfterSeconds(retryAfter, app.clock.now());
  const delay =
    asked === undefined ? step * jitter(app.random, JITTER) : Math.min(Math.max(asked, step), 2 * step);
  return status !== null && THROTTLING.has(status) ? Math.max(delay, THROTTLED_SECONDS) : delay;
}
