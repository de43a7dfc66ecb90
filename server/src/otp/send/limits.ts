import { DAY_MS, type RecipientState, SHARING_MS, WRONG_CODES_PER_DAY } from '../code.ts';

/** The most sends to one recipient in any ten minutes and in any 24 hours. */
export interface SendLimits {
  per10Min: number;
  perDay: number;
}

/** The limits of sends by one account and by all accounts together. */
export interface RecipientLimits {
  perAccount: SendLimits;
  overAll: SendLimits;
}

/**
 * Seconds until fewer than `most` of these times (oldest first) lie within the span before now; 0 if that holds now. A time can
 * be later than now, because a transaction that began after this one may have taken the lock first. The wait is never longer
 * than the span.
 */
function waitFor(times: readonly number[], most: number, spanMs: number, nowMs: number): number {
  const within = times.filter((ms) => ms > nowMs - spanMs);
  const blocking = within.length - most;
  if (blocking < 0) return 0;
  const waitMs = Math.min((within[blocking] ?? nowMs) + spanMs - nowMs, spanMs);
  return Math.max(1, Math.ceil(waitMs / 1000));
}

/** Seconds until another send to the recipient is allowed, or 0. */
export function secondsUntilAllowed(
  state: Pick<RecipientState, 'sends' | 'wrong_tries'>,
  overAll: readonly number[],
  { nowMs, limits }: { nowMs: number; limits: RecipientLimits },
): number {
  const sendsWait = (sends: readonly number[], { per10Min, perDay }: SendLimits): number =>
    Math.max(waitFor(sends, per10Min, SHARING_MS, nowMs), waitFor(sends, perDay, DAY_MS, nowMs));
  return Math.max(
    sendsWait(state.sends, limits.perAccount),
    sendsWait(overAll, limits.overAll),
    waitFor(state.wrong_tries, WRONG_CODES_PER_DAY, DAY_MS, nowMs),
  );
}
