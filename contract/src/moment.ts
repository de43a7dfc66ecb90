import { z } from 'zod';
import { isDay } from './local-time.ts';

const TIME = String.raw`[Tt ](?<clock>(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?)(?:[.,](?<fraction>\d+))?`;
// An unencoded plus sign arrives as a space in a query.
const ZONE = String.raw`(?<zone>[Zz]|(?<sign>[+ \u2212-])(?<hours>[01]\d|2[0-3]):?(?<minutes>[0-5]\d)?)`;
const MOMENT = new RegExp(`^(?<day>\\d{4}-\\d{2}-\\d{2})(?:${TIME}${ZONE}?)?$`);

/**
 * The instant that a date or time in ISO 8601 names; UTC without a zone. Undefined if there is no such date or time, or if it is
 * not in the years 1971 to 9998, which the database and all clients can represent.
 */
export function momentIn(text: string): Date | undefined {
  const { day, clock, fraction, zone, sign, hours, minutes } = MOMENT.exec(text.trim())?.groups ?? {};
  if (!day || !isDay(day)) return undefined;
  const time = clock
    ? `${clock.padEnd(8, ':00')}.${(fraction ?? '').slice(0, 3).padEnd(3, '0')}`
    : '00:00:00.000';
  const isUtc = !zone || /^z$/i.test(zone);
  const offset = isUtc ? 'Z' : `${/[-\u2212]/.test(sign ?? '') ? '-' : '+'}${hours}:${minutes ?? '00'}`;
  const at = new Date(`${day}T${time}${offset}`);
  return isDay(at.toISOString().slice(0, 10)) ? at : undefined;
}

/** The field of a date or time. Its value is the instant in UTC. */
export const moment = (message: string) =>
  z
    .string({ error: message })
    .overwrite((text) => momentIn(text)?.toISOString() ?? text)
    .refine((text) => momentIn(text) !== undefined, message)
    .meta({ format: 'date-time' });
