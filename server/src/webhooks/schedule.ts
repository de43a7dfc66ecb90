import { retryAfterSeconds } from '../platform/http/retry-after.ts';
import type { Needs } from '../platform/platform.ts';
import { jitter } from '../platform/security/random.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/**
 * Seconds until the next attempt, by attempts made: ten attempts in 75 h 35 min. Standard Webhooks, "Deliverability and
 * Reliability".
 */
const STEPS = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
const JITTER = 0.2;

/** The endpoint, or a proxy in front of it, is overloaded: retry after at least one minute. */
const THROTTLING = new Set([429, 502, 504]);
const THROTTLED_SECONDS = 60;

export interface Refused {
  status: number | null;
  /** The header as received. */
  retry_after: string | undefined;
}

/**
 * Seconds until the next attempt after `tries` of them; undefined after the last. Each step varies by 20 % either way, so
 * that simultaneous failures do not retry simultaneously. `Retry-After` is obeyed between one and two steps.
 */
export function retryDelaySeconds(
  app: Needs<'random' | 'clock'>,
  tries: number,
  { status, retry_after }: Refused,
): number | undefined {
  const step = STEPS[tries - 1];
  if (step === undefined) return undefined;
  const asked = retry_after === undefined ? undefined : retryAfterSeconds(retry_after, app.clock.now());
  const delay =
    asked === undefined ? step * jitter(app.random, JITTER) : Math.min(Math.max(asked, step), 2 * step);
  return status !== null && THROTTLING.has(status) ? Math.max(delay, THROTTLED_SECONDS) : delay;
}
