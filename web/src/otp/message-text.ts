/** The text without a first paragraph that its subject already says. */
export function bodyOf(text: string, subject: string | null): string {
  const end = text.indexOf('\n\n');
  const isRepeated = end > 0 && subject?.startsWith(text.slice(0, end));
  return isRepeated ? text.slice(end).trimStart() : text;
}

/** The text around its code, which a call reads digit by digit. Undefined if the text does not contain it. */
export function aroundCode(
  text: string,
  code: string,
): { before: string; code: string; after: string } | undefined {
  const shown = [code, [...code].join(', ')].find((one) => text.includes(one));
  if (shown === undefined) return undefined;
  const at = text.indexOf(shown);
  return { before: text.slice(0, at), code: shown, after: text.slice(at + shown.length) };
}
