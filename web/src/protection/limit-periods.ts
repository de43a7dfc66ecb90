import { durationText } from '@sixdigit/contract/text/duration-text.ts';
import { countOf } from '../ui/numbers.ts';

const DAY = 86_400;
const UNITS = [
  [DAY, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
] as const;

/** The periods that the form offers, in seconds. Calls can set any. */
export const PERIODS: readonly number[] = [60, 600, 3600, 6 * 3600, DAY, 7 * DAY, 30 * DAY];

/** '90 seconds', '10 minutes', '7 days' */
export function periodText(seconds: number): string {
  const [length, unit] = UNITS.find(([length]) => seconds % length === 0) ?? [];
  return unit ? countOf(seconds / length, unit) : durationText(seconds);
}
