import { isTimeZone } from '@sixdigit/contract/local-time.ts';
import { nowMs } from '../api/clock.ts';
import { signal, useSignal } from '../api/signal.ts';
import { remember, remembered } from './remembered.ts';

const relative = new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' });
const STEPS = [
  { unit: 'second', ms: 1_000, below: 60_000 },
  { unit: 'minute', ms: 60_000, below: 3_600_000 },
  { unit: 'hour', ms: 3_600_000, below: 86_400_000 },
  { unit: 'day', ms: 86_400_000, below: Number.POSITIVE_INFINITY },
] as const;

/** '3 minutes ago', 'yesterday', 'in 5 minutes' */
export function relativeTime(iso: string, now: number): string {
  const ms = Date.parse(iso) - now;
  const step = STEPS.find(({ below }) => Math.abs(ms) < below);
  return step ? relative.format(Math.trunc(ms / step.ms), step.unit) : '';
}

/** '0.4 s', '27 s', '4 min 10 s', '2 h 5 min' */
export function duration(ms: number): string {
  if (ms < 10_000) return `${Math.round(ms / 100) / 10} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return joined(`${minutes} min`, seconds % 60, 's');
  return joined(`${Math.floor(minutes / 60)} h`, minutes % 60, 'min');
}

const joined = (whole: string, rest: number, unit: string): string =>
  rest === 0 ? whole : `${whole} ${rest} ${unit}`;

const STORED = 'time_zone';

/** The browser's time zone, or UTC if it has none, has only an offset or has one that the service does not know. */
function readZoneOfBrowser(): string {
  const { timeZone: name } = new Intl.DateTimeFormat().resolvedOptions() as { timeZone?: string };
  return name !== undefined && isTimeZone(name) ? name : 'UTC';
}
/** The browser's zone, and the chosen one if there is any. */
const zones = signal<{ ofBrowser: string; chosen?: string | undefined }>({ ofBrowser: readZoneOfBrowser() });

export const zoneOfBrowser = (): string => zones.get().ofBrowser;

/**
 * Shows times in this zone from now on, also after a reload; null means the browser's. Ignores a zone that the browser does not
 * know.
 */
export function showTimesIn(name: string | null): void {
  const chosen = name !== null && isTimeZone(name) ? name : undefined;
  if (chosen === zones.get().chosen) return;
  remember(STORED, chosen);
  zones.set({ ...zones.get(), chosen });
}
showTimesIn(remembered(STORED) ?? null);

/** Falls back to UTC from a zone that the service does not know, because charts could not count days in it. */
export function replaceZone(name: string): void {
  if (zoneName() === name) zones.set({ ofBrowser: 'UTC' });
}

/** 'America/New_York': the chosen zone or the browser's. Rerenders when it changes. */
export const useTimeZone = (): string => zoneIn(useSignal(zones));
export const zoneName = (): string => zoneIn(zones.get());
const zoneIn = ({ chosen, ofBrowser }: ReturnType<typeof zones.get>): string => chosen ?? ofBrowser;

/** A date format of the product: en-US, in the chosen time zone. */
export function format(
  options: Intl.DateTimeFormatOptions,
): Pick<Intl.DateTimeFormat, 'format' | 'formatToParts'> {
  let made: { of: string; format: Intl.DateTimeFormat } | undefined;
  const current = () => {
    const of = zoneName();
    if (made?.of !== of)
      made = { of, format: new Intl.DateTimeFormat('en-US', { ...options, timeZone: of }) };
    return made.format;
  };
  return {
    format: (date) => current().format(date),
    formatToParts: (date) => current().formatToParts(date),
  };
}

const day = { month: 'short', day: 'numeric', year: 'numeric' } as const;
const minutes = { hour: '2-digit', minute: '2-digit' } as const;
const seconds = { ...minutes, second: '2-digit' } as const;
const short = format({ ...day, ...minutes });
const withoutYear = format({ month: 'short', day: 'numeric', ...minutes });
const year = format({ year: 'numeric' });
const full = format({ ...day, ...seconds, timeZoneName: 'short' });
const date = format(day);
const long = format({ ...day, month: 'long' });
const time = format(seconds);
const parts = format({ ...day, day: '2-digit', ...minutes, hourCycle: 'h23' });

const reading =
  (written: (date: Date) => string) =>
  (iso: string | null | undefined, otherwise = ''): string => {
    if (!iso) return otherwise;
    const date = new Date(iso);
    return Number.isNaN(date.getTime()) ? otherwise : written(date);
  };

/** 'Nov 21, 2026, 03:50 AM' */
export const shortDateTime = reading((date) => short.format(date));
/** For narrow rows: 'Nov 21, 03:50 AM' in the current year. */
export const rowDateTime = reading((date) =>
  (year.format(date) === year.format(nowMs()) ? withoutYear : short).format(date),
);
/** 'Nov 21, 2026, 03:50:12 AM UTC', for one record. Lists have minutes, and their zone below. */
export const fullDateTime = reading((date) => full.format(date));
/** '03:50:12 AM' */
export const timeOfDay = reading((date) => time.format(date));
/** 'Nov 21, 2026' */
export const shortDate = reading((at) => date.format(at));
/** 'November 21, 2026' */
export const longDate = reading((date) => long.format(date));
/** 'Nov 21, 2026 03:50', the format 'MMM dd, yyyy HH:mm' */
export const paymentDateTime = reading((date) => {
  const of = Object.fromEntries(parts.formatToParts(date).map(({ type, value }) => [type, value]));
  return `${of.month} ${of.day}, ${of.year} ${of.hour}:${of.minute}`;
});

/** 'UTC', 'America/New York' */
export const timeZone = (): string => zoneName().replaceAll('_', ' ');
