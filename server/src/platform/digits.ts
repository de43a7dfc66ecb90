/** Converts decimal digits of any script and full-width forms to ASCII. Other characters are NFKC-normalised. */
export const asciiDigits = (text: string): string =>
  text.normalize('NFKC').replace(/[^\P{Nd}0-9]/gu, digitValue);

/** Unicode's decimal digits are encoded in runs of ten that begin with zero. */
function digitValue(digit: string): string {
  const point = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(point - value - 1))) value += 1;
  return String(value);
}
