import type { Insights } from '#contract/insights.ts';
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
/** Short enough for an axis: 'Nov 21' */
export const slotTick = (interval: Interval, at: string): string => TICKS[interval].format(new Date(at));
