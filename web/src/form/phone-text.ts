import { asciiDigits } from '@sixdigit/contract/text/digits.ts';
import { plainPhone } from '@sixdigit/contract/text/phone-text.ts';

/** The text of a field for a US or Canadian number after a fixed +1. */
export const PHONE_LENGTH = 14;
const DIGITS = 10;

export const phoneDigits = (text: string): string => asciiDigits(text).replace(/\D/g, '');

/** At sign-up: digits only, except for a number with a country code. */
export const phoneToSend = (text: string): string => (text.startsWith('+') ? '+' : '') + phoneDigits(text);

/** '(415) 555-2671', up to the last digit. */
function grouped(digits: string): string {
  if (digits.length < 4) return digits;
  if (digits.length < 7) return `(${digits.slice(0, 3)}) ${digits.slice(3)}`;
  return `(${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6, DIGITS)}`;
}

/** Formats a whole number. No area code begins with 1, so a leading 1 or +1 is the country code. */
export const formatPhone = (text: string): string =>
  grouped(phoneDigits(text).replace(/^1/, '').slice(0, DIGITS));

/** Formats a complete number. An incomplete one stays as typed. */
export const northAmericanText = (text: string): string =>
  phoneDigits(text).replace(/^1/, '').length === DIGITS ? formatPhone(text) : text;

export interface Edit {
  value: string;
  caret: number;
}

/**
 * Formats the field after an edit and keeps the caret at its digit. `typed` and `caret` are what the browser made of the edit,
 * `inputType` is the event's.
 */
export function editPhone(before: string, typed: string, caret: number, inputType = ''): Edit {
  const old = phoneDigits(before);
  let digits = phoneDigits(typed);
  let at = phoneDigits(typed.slice(0, caret)).length;
  if (inputType.startsWith('delete')) {
    // Deleting a bracket or a dash deletes the digit next to it.
    if (digits === old && typed.length < before.length) {
      const gone = inputType.endsWith('Forward') ? at : at - 1;
      digits = digits.slice(0, Math.max(gone, 0)) + digits.slice(gone + 1);
      at = Math.max(Math.min(at, gone), 0);
    }
  } else if (digits.startsWith('1') && !old.startsWith('1')) {
    digits = digits.slice(1);
    at = Math.max(at - 1, 0);
  }
  const value = grouped(digits.slice(0, DIGITS));
  return { value, caret: caretAfter(value, at, at >= Math.min(digits.length, DIGITS)) };
}

/** The position after the nth digit; at the end also after the characters that follow it. */
function caretAfter(value: string, count: number, isAtEnd: boolean): number {
  if (isAtEnd) return value.length;
  if (count === 0) return value.startsWith('(') ? 1 : 0;
  let seen = 0;
  for (const [index, character] of [...value].entries()) {
    if (/\d/.test(character)) seen++;
    if (seen === count) return index + 1;
  }
  return value.length;
}

/** A pasted text replaces the number if it is a whole one, and is inserted otherwise. Undefined: it is of another country. */
export function pastePhone(before: string, pasted: string, start: number, end: number): Edit | undefined {
  const text = plainPhone(pasted).replace(/^011/, '+');
  if (/^(\+|00)/.test(text) && !/^(\+|00)\s*\(?1/.test(text)) return undefined;
  if (phoneDigits(text).length >= DIGITS) {
    const value = formatPhone(text.replace(/^00/, ''));
    return { value, caret: value.length };
  }
  return editPhone(before, before.slice(0, start) + text + before.slice(end), start + text.length);
}

/** Area codes and exchanges begin with 2 to 9 (North American Numbering Plan). */
export function phoneWarning(text: string): string | undefined {
  const digits = phoneDigits(text);
  if (/^[01]/.test(digits)) return `No US or Canadian area code begins with ${digits[0]}.`;
  if (/^...[01]/.test(digits)) return `No US or Canadian number has ${digits[3]} after the area code.`;
  return undefined;
}
