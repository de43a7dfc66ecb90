import { durationText } from '@sixdigit/contract/text/duration-text.ts';

const DAY = 86_400;

/** The periods that the form offers, in seconds. Calls can set any. */
export const PERIODS: readonly number[] = [60, 600, 3600, 6 * 3600, DAY, 7 * DAY, 30 * DAY];

/** '90 seconds', '10 minutes', '7 days' */
export function periodText(seconds: number): string {
  if (seconds % DAY === 0) return `${seconds / DAY} ${seconds === DAY ? 'day' : 'days'}`;
  if (seconds % 3600 === 0) return `${seconds / 3600} ${seconds === 3600 ? 'hour' : 'hours'}`;
  if (seconds % 60 === 0) return `${seconds / 60} ${seconds === 60 ? 'minute' : 'minutes'}`;
  return durationText(seconds);
}
