/**
 * Converts decimal digits of any script and style (full-width, circled, mathematical) to ASCII. Other characters are
 * NFKC-normalized.
 */
export const asciiDigits = (text: string): string =>
  text.normalize('NFKC').replace(/[^\P{Nd}0-9]|[\p{No}\p{So}]/gu, digitValue);

/** Unicode encodes decimal digits in runs of ten that begin with zero. Some runs are adjacent. */
function digitValue(digit: string): string {
  const point = digit.codePointAt(0) ?? 0;
  if (!/\p{Nd}/u.test(digit)) {
    const start = BEFORE_CIRCLED.find((before) => point > before && point < before + 10);
    return start ? String(point - start) : /[\u24ff\u{1f10b}\u{1f10c}]/u.test(digit) ? '0' : digit;
  }
  let value = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(point - value - 1))) value += 1;
  return String(value % 10);
}

/** Circled digits without a compatibility mapping are runs of one to nine. */
const BEFORE_CIRCLED = [0x24f4, 0x2775, 0x277f, 0x2789];

/**
 * All characters that people, keyboards and phones put around and between digits: spaces, punctuation, combining marks such as
 * a keycap, and invisible characters (`DI`: Default_Ignorable_Code_Point). U+2800 and U+FFFC are invisible symbols.
 */
const AROUND_DIGITS = /[\p{Z}\p{P}\p{M}\p{Cc}\p{Cf}\p{DI}\u2800\ufffc]/gu;

/** An entered code as plain digits. A number lacks its leading zeros. */
export const enteredDigits = (code: string | number, length = 0): string =>
  typeof code === 'number' ? String(code).padStart(length, '0') : codeText(code);

/** A typed or pasted code as plain digits. Letters and symbols stay, so that they are refused. */
export const codeText = (text: string): string => asciiDigits(text).replace(AROUND_DIGITS, '');
