import { formatPhone, phoneDigits } from '../form/PhoneInput.tsx';

/** Of another country than those with the fixed +1: a field of its own form holds it as it is. */
export const isForeign = (kept: string): boolean => kept.startsWith('+') && !kept.startsWith('+1');

/** A kept number, E.164, as its field holds it. */
export const fieldOfPhone = (kept: string): string => (isForeign(kept) ? kept : formatPhone(kept));

/** What the field says, as E.164; without a plus it is a US number. */
export function phoneOfField(text: string): string {
  const typed = text.trim();
  if (typed === '' || typed.startsWith('+')) return typed;
  return `+1${phoneDigits(formatPhone(typed))}`;
}

/** Whether a number that was typed freely is the kept one. */
export function isSamePhone(typed: string, kept: string): boolean {
  const digits = phoneDigits(typed);
  const keptDigits = phoneDigits(kept);
  return digits === keptDigits || (!typed.trim().startsWith('+') && `1${digits}` === keptDigits);
}
