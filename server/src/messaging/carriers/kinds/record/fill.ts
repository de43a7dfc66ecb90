import type { CarrierRecord } from '@sixdigit/contract/operator/carrier-record.ts';

/** Fills the placeholders of a record. A value is inserted once and never read as a template. */
export type Values = Readonly<Record<string, string | number | boolean | undefined>>;
type Json = CarrierRecord['send']['body'][string];

const PLACEHOLDER = /\{([a-z][a-z0-9_]*)\}/g;
const ONE_PLACEHOLDER = /^\{([a-z][a-z0-9_]*)\}$/;

export const placeholdersOf = (template: string): string[] =>
  [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name);

const givenValue = (values: Values, name: string): Values[string] => {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  return value === '' ? undefined : value;
};

/** Undefined if a placeholder has no value. */
export function filled(
  template: string,
  values: Values,
  encode: (text: string) => string = (text) => text,
): string | undefined {
  if (placeholdersOf(template).some((name) => givenValue(values, name) === undefined)) return undefined;
  return template.replace(PLACEHOLDER, (_all, name: string) => encode(String(givenValue(values, name))));
}

/** All but the unreserved characters of RFC 3986, as a signature of AWS needs it. */
export const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

/** `{api_url}` at the beginning is an address, without a slash at its end; every other value is encoded. */
export function filledUrl(template: string, values: Values): URL | undefined {
  const base = template.startsWith('{api_url}') ? (filled('{api_url}', values) ?? '') : '';
  const rest = filled(template.slice(base ? '{api_url}'.length : 0), values, encoded);
  return (rest !== undefined && URL.parse(base.replace(/\/+$/, '') + rest)) || undefined;
}

/** A text that is only a placeholder takes its type. Members whose placeholders have no value are left out. */
export function filledBody(template: Json, values: Values): Json | undefined {
  if (typeof template === 'string') {
    const [, alone] = ONE_PLACEHOLDER.exec(template) ?? [];
    return alone === undefined ? filled(template, values) : givenValue(values, alone);
  }
  if (Array.isArray(template))
    return template
      .filter((one) => !lacksAll(one, values))
      .map((one) => filledBody(one, values))
      .filter((one) => one !== undefined);
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(
    Object.entries(template).flatMap(([name, one]) => {
      const value = filledBody(one, values);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** An item of a list, such as a tag, of whose placeholders none has a value. */
function lacksAll(item: Json, values: Values): boolean {
  const names = typeof item === 'object' ? textsOf(item).flatMap(placeholdersOf) : [];
  return names.length > 0 && names.every((name) => givenValue(values, name) === undefined);
}

/** Every text of a body in which placeholders may stand. */
export const textsOf = (template: Json): string[] => {
  if (typeof template === 'string') return [template];
  return typeof template === 'object' && template !== null ? Object.values(template).flatMap(textsOf) : [];
};
