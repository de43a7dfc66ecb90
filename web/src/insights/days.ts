const DAY_MS = 86_400_000;

/** '2026-11-21', a day that exists */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toString() !== 'Invalid Date';

export const dayAfter = (day: string, days = 1): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

/** The day in a time zone. */
export function dayIn(zone: string, at: Date): string {
  const of = partsIn(zone, at);
  return `${of.year}-${of.month}-${of.day}`;
}

/** The moment at which a day begins in a time zone. Twice, because the offset at the guess may differ from the one at midnight. */
export function startOfDay(day: string, zone: string): Date {
  const wanted = Date.parse(`${day}T00:00:00Z`);
  let at = wanted;
  for (let n = 0; n < 2; n += 1) at = wanted - offsetMs(zone, new Date(at));
  return new Date(at);
}

function offsetMs(zone: string, at: Date): number {
  const of = partsIn(zone, at);
  const local = Date.parse(`${of.year}-${of.month}-${of.day}T${of.hour}:${of.minute}:${of.second}Z`);
  return local - Math.floor(at.getTime() / 1_000) * 1_000;
}

const partsIn = (zone: string, at: Date): Record<string, string> =>
  Object.fromEntries(
    new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
