import { formatPhone, phoneDigits } from '../form/PhoneInput.tsx';

/** A kept number, E.164, as the field with the fixed +1 holds it; one of another country has no such form. */
export const fieldOfPhone = (kept: string): string => (kept.startsWith('+1') ? formatPhone(kept) : '');

/** What the field with the fixed +1 says, as E.164. */
export const phoneOfField = (text: string): string => (text === '' ? '' : `+1${phoneDigits(text)}`);

/** Whether a number that was typed freely is the kept one. */
export function isSamePhone(typed: string, kept: string): boolean {
  const digits = phoneDigits(typed);
  const keptDigits = phoneDigits(kept);
  return digits === keptDigits || (!typed.trim().startsWith('+') && `1${digits}` === keptDigits);
}
