import { anyText, type Filter } from './search.ts';

/** A day of a custom range, `2026-11-21`; '' means none. */
export const day: Filter<string> = {
  byDefault: '',
  read: (raw) => {
    const text = anyText.read(raw);
    return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : '';
  },
};

/** The period of a list: a preset, or from and to a day, both included. */
export interface Range {
  days: string;
  from: string;
  to: string;
}

const DAY_MS = 86_400_000;

/** When a day begins in a time zone. Twice, because the offset at midnight can differ from the one at that time in UTC. */
export function startOfDay(text: string, zone: string): Date {
  const utc = Date.parse(`${text}T00:00:00Z`);
  const first = utc - offsetMs(new Date(utc), zone);
  return new Date(utc - offsetMs(new Date(first), zone));
}

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

/** The window of a custom range as the server reads it. Without days it is the whole time. */
export function windowOfRange(
  { from, to }: Pick<Range, 'from' | 'to'>,
  zone: string,
): { created_after?: string; created_before?: string } {
  const next = to === '' ? '' : new Date(Date.parse(`${to}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
  return {
    ...(from === '' ? {} : { created_after: startOfDay(from, zone).toISOString() }),
    ...(next === '' ? {} : { created_before: startOfDay(next, zone).toISOString() }),
  };
}

/** Today in a time zone. */
export const today = (zone: string, at = new Date()): string =>
  new Date(at.getTime() + offsetMs(at, zone)).toISOString().slice(0, 10);
