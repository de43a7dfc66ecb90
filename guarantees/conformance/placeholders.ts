import { SettingsError } from './settings-error.ts';

/** The values of placeholders, by name. */
export type Values = Readonly<Record<string, string>>;

/** Doubled braces are not placeholders. */
const NAMED = /\{\{[^{}]*\}\}|\{([a-z][a-z_0-9]*)\}/g;
const ENCODED = /\{base64:([^{}]*)\}/g;

/** Replaces `{name}` and, after that, `{base64:…}`. Throws if a name is unknown. */
export function filled(text: string, values: Values): string {
  const plain = text.replace(NAMED, (whole, name: string | undefined) => {
    if (name === undefined) return whole;
    const value = values[name];
    if (value === undefined) throw new SettingsError(`{${name}} has no value in: ${text}`);
    return value;
  });
  return plain.replace(ENCODED, (_, part: string) => Buffer.from(part).toString('base64'));
}

/** Replaces the placeholders in all texts of a value. */
export function filledDeep<T>(value: T, values: Values): T {
  if (typeof value === 'string') return filled(value, values) as T;
  if (Array.isArray(value)) return value.map((one) => filledDeep(one, values)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filledDeep(one, values)])) as T;
}
