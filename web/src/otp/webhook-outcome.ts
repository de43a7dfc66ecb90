import type { VerificationWebhook } from '@sixdigit/contract/webhooks.ts';
import { fullDateTime, longDate, relativeTime, timeOfDay } from '../ui/dates.ts';

type Attempts = Pick<VerificationWebhook, 'attempts' | 'succeeded' | 'response_status' | 'next_attempt_at'>;

/** The status whose color marks a webhook message. */
export function markOf({ attempts, succeeded, next_attempt_at }: Attempts) {
  if (attempts === 0) return 'pending';
  if (succeeded) return 'verified';
  return next_attempt_at ? 'expired' : 'failed';
}

/** What happened to a webhook message so far, in the words of the endpoint's deliveries. */
export function outcomeOf(message: Attempts, nowMs: number): string {
  const { attempts, succeeded, response_status, next_attempt_at } = message;
  if (attempts === 0) return 'waiting';
  const status = response_status ?? 'no response';
  const tries = attempts === 1 ? '' : ` after ${attempts} attempts`;
  if (succeeded) return `delivered${tries} (${status})`;
  if (!next_attempt_at) return `failed${tries} (${status})`;
  const isLater = Date.parse(next_attempt_at) > nowMs;
  return `retrying${attempts === 1 ? ' after 1 attempt' : tries} (${status})${isLater ? `, next try ${relativeTime(next_attempt_at, nowMs)}` : ''}`;
}

/** The time of day if it is on the same day, and otherwise the date and time. */
export const timeOn = (day: string | undefined, at: string): string =>
  day !== undefined && longDate(at) === longDate(day) ? timeOfDay(at) : fullDateTime(at);
