/**
 * Converts days and clock times of a time zone to instants and back, for lists and charts. Uses only this runtime's time zones,
 * never PostgreSQL's, which come from another version of the IANA database.
 */
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Whether a text names a time zone of the IANA database by its area, or is UTC. Abbreviations such as IST mean different zones in
 * different places, and programs read offsets such as +05:30 with opposite signs.
 */
export function isTimeZone(name: string): boolean {
  if (name.length > 64 || !/^(UTC|(?!SystemV)[A-Z][A-Za-z]+(\/[A-Z][\w+-]*)+)$/.test(name)) return false;
  try {
    return Boolean(clockOf(name));
  } catch {
    return false;
  }
}

const CLOCKS_MOST = 50;
const clocks = new Map<string, Intl.DateTimeFormat>();

/** Throws a RangeError for a zone that this runtime lacks. */
function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known) return known;
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const [oldest] = clocks.keys();
  if (clocks.size >= CLOCKS_MOST && oldest !== undefined) clocks.delete(oldest);
  clocks.set(zone, clock);
  return clock;
}

/** The offset of a zone's clocks from UTC. */
function offsetMs(atMs: number, zone: string): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of clockOf(zone).formatToParts(atMs)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(atMs / SECOND_MS) * SECOND_MS;
}

/** The local time of an instant, to the minute: `2026-11-21T14:05`. */
export const localTime = (at: Date, zone: string): string =>
  new Date(at.getTime() + offsetMs(at.getTime(), zone)).toISOString().slice(0, 16);

/** Today in a time zone, or the day of another instant: `2026-11-21`. */
export const today = (zone: string, at = new Date()): string => localTime(at, zone).slice(0, 10);

/** Whether the text is an existing day in the range of years that lists and charts support. */
export function isDay(text: string): boolean {
  if (text < '1971' || text >= '9999') return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === text;
}

export const dayAfter = (day: string, days = 1): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

/**
 * The instant of a local time, `2026-11-21T14:05`. If the clocks show the time twice, returns the first instant. If they skip
 * it, applies the offset from before the change.
 */
export function momentOf(local: string, zone: string): Date {
  const utcMs = Date.parse(`${local}Z`);
  const offsets = [utcMs - DAY_MS, utcMs + DAY_MS].map((atMs) => offsetMs(atMs, zone));
  const [before = 0, after = 0] = offsets.map((offset) => utcMs - offset);
  const shown = [before, after].filter((atMs) => atMs + offsetMs(atMs, zone) === utcMs);
  return new Date(shown.length > 0 ? Math.min(...shown) : before);
}

/** The instant at which a day begins in a time zone. If the clocks skip midnight, the day begins at its first existing time. */
export function startOfDay(day: string, zone: string): Date {
  const atMs = momentOf(`${day}T00:00`, zone).getTime();
  const hasBegun = (ms: number): boolean => today(zone, new Date(ms)) >= day;
  if (hasBegun(atMs) && !hasBegun(atMs - 1)) return new Date(atMs);
  let [lowMs, highMs] = [atMs - DAY_MS, atMs + DAY_MS];
  while (highMs - lowMs > 1) {
    const middleMs = Math.floor((lowMs + highMs) / 2);
    if (hasBegun(middleMs)) highMs = middleMs;
    else lowMs = middleMs;
  }
  return new Date(highMs);
}

/** The start of each day in a time zone between two instants; the first day contains `from`. */
export function daysBetween(from: Date, to: Date, zone: string): Date[] {
  const starts: Date[] = [];
  for (let day = today(zone, from); ; day = dayAfter(day)) {
    const start = startOfDay(day, zone);
    if (start >= to) return starts;
    // A zone that moved across the date line skipped a day.
    if (start.getTime() !== starts.at(-1)?.getTime()) starts.push(start);
  }
}

/** The start of each hour in a time zone; the first hour contains `from`. */
export function hoursBetween(from: Date, to: Date, zone: string): Date[] {
  const shiftMs = offsetMs(from.getTime(), zone);
  const first = Math.floor((from.getTime() + shiftMs) / HOUR_MS) * HOUR_MS - shiftMs;
  const count = Math.ceil((to.getTime() - first) / HOUR_MS);
  return Array.from({ length: Math.max(0, count) }, (_, n) => new Date(first + n * HOUR_MS));
}
