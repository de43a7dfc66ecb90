import { anyText, type Filter } from './search.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/;

/** Whether an end of a range is a time instead of a whole day. */
export const isTime = (end: string): boolean => end.includes('T');

/** An end of a custom range: a day, `2026-11-21`, or a time, `2026-11-21T14:05:00.000Z`. '' means none. */
export const rangeEnd: Filter<string> = {
  byDefault: '',
  read: (raw) => {
    const text = anyText.read(raw);
    return isDay(text) || (TIME.test(text) && !Number.isNaN(Date.parse(text))) ? text : '';
  },
};

/** A day that exists. */
export function isDay(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === text;
}

/** The period of a list: a preset, or from one end to the other. The last day is included, a time at the end is not. */
export interface Range {
  days: string;
  from: string;
  to: string;
}

const DAY_MS = 86_400_000;

export const dayAfter = (day: string, days = 1): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

/** When a day begins in a time zone. */
export const startOfDay = (day: string, zone: string): Date => momentOf(`${day}T00:00`, zone);

/**
 * The moment of a local time, `2026-11-21T14:05`. Twice, because the offset at that time in UTC can differ from the one at that local
 * time.
 */
export function momentOf(local: string, zone: string): Date {
  const utc = Date.parse(`${local}Z`);
  const first = utc - offsetMs(new Date(utc), zone);
  return new Date(utc - offsetMs(new Date(first), zone));
}

/** The local time of a moment, to the minute: `2026-11-21T14:05`. */
export const localTime = (at: Date, zone: string): string =>
  new Date(at.getTime() + offsetMs(at, zone)).toISOString().slice(0, 16);

/** How far the clocks of a zone are ahead of UTC. */
function offsetMs(at: Date, zone: string): number {
  const parts = Object.fromEntries(
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day: date = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, date, hour, minute, second) - Math.floor(at.getTime() / 1000) * 1000;
}

/** The moments of a range; undefined for an end that is open. */
export function momentsOf({ from, to }: Ends, zone: string): { from?: Date; to?: Date } {
  return {
    ...(from !== '' && { from: isTime(from) ? new Date(from) : startOfDay(from, zone) }),
    ...(to !== '' && { to: isTime(to) ? new Date(to) : startOfDay(dayAfter(to), zone) }),
  };
}
type Ends = Pick<Range, 'from' | 'to'>;

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

/** Today in a time zone, or the day of another moment. */
export const today = (zone: string, at = new Date()): string => localTime(at, zone).slice(0, 10);

/** The range that a custom period begins with: the last seven days. */
export function lastWeek(zone: string): Ends {
  const to = today(zone);
  return { from: dayAfter(to, -6), to };
}
