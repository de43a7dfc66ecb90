import { TONES } from '../ui/Banner.tsx';
import { fullDateTime } from '../ui/dates.ts';

/** One field that an entry names, with its value before and after. */
export interface Change {
  field: string;
  before: string | undefined;
  after: string | undefined;
}

export type Values = Record<string, unknown> | null;

/** An entry's fields, in the order stored, then a start and an end. A side that lacks the field is undefined. */
export function changesOf(before: Values, after: Values): Change[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].toSorted(
    (one, other) => PERIOD.indexOf(one) - PERIOD.indexOf(other),
  );
  return fields.map((field) => ({
    field: labelOfField(field),
    before: before && field in before ? textIn(before, field) : undefined,
    after: after && field in after ? textIn(after, field) : undefined,
  }));
}

const PERIOD = ['starts_at', 'ends_at'];

/** The words that other screens have for a value. */
const WORDS: Record<string, Record<string, string>> = { tone: TONES };

const textIn = (values: Record<string, unknown>, field: string): string =>
  WORDS[field]?.[String(values[field])] ?? textOf(values[field]);

/** 'daily_credit_limit' is 'Daily credit limit'. */
export function labelOfField(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
    .replace(/\bip\b/g, 'IP')
    .replace(/\burl\b/g, 'URL');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A value in words: 'None', 'Yes', '1,000', 'otp:send, otp:read', a date, or `limit: 30, mode: enforce`. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'None';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return value.toLocaleString('en-US');
  if (Array.isArray(value)) return value.length === 0 ? 'None' : value.map(textOf).join(', ');
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([name, one]) => `${labelOfField(name)}: ${textOf(one)}`)
      .join(', ');
  const text = String(value);
  // A line breaks only between the date and the time.
  return MOMENT.test(text)
    ? fullDateTime(text).replace(/\d\d:.*/, (time) => time.replaceAll(' ', '\u00a0'))
    : text;
}

/** A date and time in ISO 8601 */
const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
