/** Reads a whole number from a field's text; an empty or invalid text yields the fallback. */
export function wholeNumber<F>(text: string, fallback: F): number | F {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) ? Math.trunc(number) : fallback;
}
