/** `+1415555••71`, `a••@example.com`: enough to recognize a recipient that the customer names, too little to contact it. */
export function maskedRecipient(recipient: string): string {
  // `[erased]` or `[removed]`
  if (recipient.startsWith('[')) return recipient;
  const at = recipient.lastIndexOf('@');
  if (at >= 0) return `${recipient.slice(0, 1)}••${recipient.slice(at)}`;
  return recipient.length < 8 ? '••' : `${recipient.slice(0, 5)}••••${recipient.slice(-2)}`;
}

/** A phone number or an e-mail address within a text. */
const RECIPIENT = /\+\d[\d\s().-]{6,}\d|[^\s@"'<>(),;:]+@[^\s@"'<>(),;:]+\.[^\s@"'<>(),;:]+/g;

/** The text with its phone numbers and e-mail addresses masked. */
export const maskedText = (text: string): string =>
  text.replace(RECIPIENT, (found) =>
    maskedRecipient(found.includes('@') ? found : `+${found.replace(/\D/g, '')}`),
  );

/** Applies `maskedText` to every text in a JSON value. */
export function maskedValues<T>(value: T): T {
  if (typeof value === 'string') return maskedText(value) as T;
  if (Array.isArray(value)) return value.map(maskedValues) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, maskedValues(one)])) as T;
}

/**
 * Like `maskedText`, but also masks numbers without a plus sign. Do not use it for texts with times, because these look like
 * numbers.
 */
export const maskedNumbers = (text: string): string =>
  maskedText(text).replace(/(?<![\w+•])\d[\d\s().-]{7,}\d(?!\w)/g, (found) =>
    maskedRecipient(found.replace(/\D/g, '')),
  );
