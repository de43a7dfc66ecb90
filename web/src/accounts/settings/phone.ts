import { formatPhone, phoneDigits } from '../../form/PhoneInput.tsx';

/** Whether the number is outside +1, so that the field shows it unformatted. */
export const isForeign = (kept: string): boolean => kept.startsWith('+') && !kept.startsWith('+1');

/** Converts a stored E.164 number to the field's text. */
export const fieldOfPhone = (kept: string): string => (isForeign(kept) ? kept : formatPhone(kept));

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
