import { isNorthAmericanOnly } from './phone-field.tsx';
import { formatPhone, phoneDigits } from './phone-text.ts';

/** Whether the number is outside +1, so that a field for +1 shows it unformatted. */
export const isForeign = (kept: string): boolean =>
  isNorthAmericanOnly() && kept.startsWith('+') && !kept.startsWith('+1');

/** Converts a stored E.164 number to the field's text. */
export const fieldOfPhone = (kept: string): string =>
  isForeign(kept) || !isNorthAmericanOnly() ? kept : formatPhone(kept);

/** Converts the field's text to E.164. Without a plus it is a US number. */
export function phoneOfField(text: string): string {
  const typed = text.trim();
  if (typed === '' || typed.startsWith('+')) return typed;
  return `+1${phoneDigits(formatPhone(typed))}`;
}

/** Whether the typed number equals the stored one. */
export function isSamePhone(typed: string, kept: string): boolean {
  const digits = phoneDigits(typed);
  const keptDigits = phoneDigits(kept);
  return digits === keptDigits || (!typed.trim().startsWith('+') && `1${digits}` === keptDigits);
}
