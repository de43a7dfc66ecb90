import { dayAfter, isDay, startOfDay, today } from '@sixdigit/contract/local-time.ts';
import { anyText, type Filter } from './search.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/;

/** Whether an end of a range is a time instead of a whole day. */
const isTime = (end: string): boolean => end.includes('T');

/** An end of a custom range: a day, `2026-11-21`, or a time, `2026-11-21T14:05:00.000Z`. '' means none. */
export const rangeEnd: Filter<string> = {
  byDefault: '',
  read: (raw) => {
    const text = anyText.read(raw);
    return isDay(text) || (TIME.test(text) && !Number.isNaN(Date.parse(text))) ? text : '';
  },
};

/** The period of a list: a preset, or from one end to the other. The last day is included, a time at the end is not. */
export interface Range {
  days: string;
  from: string;
  to: string;
}

/** The moments of a range; undefined for an end that is open. */
export function momentsOf({ from, to }: Ends, zone: string): { from?: Date; to?: Date } {
  return {
    ...(from !== '' && { from: isTime(from) ? new Date(from) : startOfDay(from, zone) }),
    ...(to !== '' && { to: isTime(to) ? new Date(to) : startOfDay(dayAfter(to), zone) }),
  };
}
type Ends = Pick<Range, 'from' | 'to'>;

/** Whether a chart's bar led to this range, so that it has times. */
export const hasTimes = ({ from, to }: Ends): boolean => isTime(from) || isTime(to);

/** The window of a custom range as the server reads it. Without ends it is the whole time. */
export function windowOfRange(
  range: Ends,
  zone: string,
): { created_after?: string; created_before?: string } {
  const { from, to } = momentsOf(range, zone);
  return {
    ...(from && { created_after: from.toISOString() }),
    ...(to && { created_before: to.toISOString() }),
  };
}

/** The custom range between two moments: whole days if it begins and ends at midnight, otherwise times. */
export function rangeBetween(from: Date, to: Date, zone: string): Range {
  const isMidnight = (at: Date): boolean => startOfDay(today(zone, at), zone).getTime() === at.getTime();
  return isMidnight(from) && isMidnight(to)
    ? { days: 'custom', from: today(zone, from), to: dayAfter(today(zone, to), -1) }
    : { days: 'custom', from: from.toISOString(), to: to.toISOString() };
}

/** The range that a custom period begins with: the last seven days. */
export function lastWeek(zone: string): Ends {
  const to = today(zone);
  return { from: dayAfter(to, -6), to };
}
