/** Values before or after a change. */
export type Values = Record<string, unknown>;

const SECRET_NAME = /(secret|password|token|hash|credential|^key$|^code$|private)/i;
/** Keys show their first characters, by which their owner recognises them. */
const SECRET_VALUE = /^(sd_(live|test|operator)_\w{5,}|whsec_)/;

/** Drops secrets at any depth. Callers name the fields that they record; this is the second line of defence. */
export function withoutSecrets(values: Values | undefined): Values | null {
  if (values === undefined) return null;
  return cleaned(values) as Values;
}

function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value === 'string') return SECRET_VALUE.test(value) ? '[secret]' : withoutUrlSecrets(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !SECRET_NAME.test(name))
      .map(([name, one]) => [name, cleaned(one)]),
  );
}

/** Addresses often carry a token in their query or user name. */
function withoutUrlSecrets(text: string): string {
  const url = /^https?:/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.search === '' && url.username === '' && url.password === '')) return text;
  return `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`;
}

/** The named fields that differ. Undefined if none does: then nothing is to be recorded. */
export function changesBetween<T extends object>(
  before: T,
  after: T,
  fields: readonly (keyof T & string)[],
): { before: Values; after: Values } | undefined {
  const changed = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  if (changed.length === 0) return undefined;
  const of = (values: T): Values =>
    Object.fromEntries(changed.map((field) => [field, values[field] ?? null]));
  return { before: of(before), after: of(after) };
}
