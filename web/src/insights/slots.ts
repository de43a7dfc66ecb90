import type { Insights } from '@sixdigit/contract/insights.ts';
import { format } from '../ui/dates.ts';

type Interval = Insights['interval'];

const NAMES: Record<Interval, Pick<Intl.DateTimeFormat, 'format'>> = {
  five_minutes: format({ hour: 'numeric', minute: '2-digit' }),
  hour: format({ weekday: 'short', month: 'short', day: 'numeric', hour: 'numeric' }),
  day: format({ weekday: 'short', month: 'short', day: 'numeric' }),
};
const TICKS: Record<Interval, Pick<Intl.DateTimeFormat, 'format'>> = {
  five_minutes: NAMES.five_minutes,
  hour: format({ weekday: 'short', hour: 'numeric' }),
  day: format({ month: 'short', day: 'numeric' }),
};

/** 'Sat, Nov 21, 3 PM' */
export const slotName = (interval: Interval, at: string): string => NAMES[interval].format(new Date(at));
const LENGTHS_MS: Record<Interval, number> = { five_minutes: 300_000, hour: 3_600_000, day: 86_400_000 };
/** Whether a slot is not over. A day of 25 hours counts as over in its last one. */
export const isUnfinished = (interval: Interval, at: string, nowMs: number): boolean =>
  Date.parse(at) <= nowMs && nowMs < Date.parse(at) + LENGTHS_MS[interval];

/** Short enough for an axis: 'Nov 21' */
export const slotTick = (interval: Interval, at: string): string => TICKS[interval].format(new Date(at));
