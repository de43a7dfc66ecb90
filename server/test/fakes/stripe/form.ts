import { invalidParameter, missingParameter } from './failure.ts';

/** Parameters of a form-encoded request: `a[b]=1&c[0]=2&c[]=3` becomes `{a: {b: '1'}, c: ['2', '3']}`. */
export type Value = string | Value[] | { [name: string]: Value };
export type Form = { [name: string]: Value };

const plain = (): Form => Object.create(null) as Form;

export function parseForm(text: string): Form {
  const form = plain();
  for (const [key, value] of new URLSearchParams(text)) place(form, path(key), value);
  return Object.fromEntries(Object.entries(form).map(([key, value]) => [key, withArrays(value)]));
}

function path(key: string): string[] {
  const head = key.split('[', 1)[0] ?? key;
  return [head, ...[...key.slice(head.length).matchAll(/\[([^\]]*)\]/g)].map((match) => match[1] ?? '')];
}

function place(form: Form, [name = '', ...rest]: string[], value: string): void {
  const key = name === '' ? String(Object.keys(form).length) : name;
  if (rest.length === 0) {
    form[key] = value;
    return;
  }
  const inner = form[key];
  const target = typeof inner === 'object' && !Array.isArray(inner) ? inner : plain();
  form[key] = target;
  place(target, rest, value);
}

function withArrays(value: Value): Value {
  if (typeof value === 'string' || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, withArrays(inner)] as const);
  const isArray = entries.length > 0 && entries.every(([key]) => /^\d+$/.test(key));
  return isArray ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

/** Parameter names of a call, checked by the compiler against the package's own type of its parameters. */
export const names =
  <Params>() =>
  <Name extends keyof Params & string>(...list: Name[]): ReadonlySet<string> =>
    new Set<string>(list);

/** Refuses unknown parameters, as Stripe does. */
export function accept(form: Form, known: ReadonlySet<string>): void {
  for (const name of Object.keys(form)) {
    if (!known.has(name) && name !== 'expand') {
      throw invalidParameter('parameter_unknown', name, `Received unknown parameter: ${name}`);
    }
  }
}

export function text(form: Form, name: string): string | undefined {
  const value = form[name];
  if (value === undefined || typeof value === 'string') return value;
  throw invalidParameter('parameter_invalid_string', name, `Invalid string: ${JSON.stringify(value)}`);
}

/** `''` unsets a parameter and reads as null. */
export function nullable(form: Form, name: string): string | null | undefined {
  const value = text(form, name);
  return value === '' ? null : value;
}

export function required(form: Form, name: string): string {
  const value = text(form, name);
  if (value === undefined) throw missingParameter(name);
  if (value === '') {
    throw invalidParameter(
      'parameter_invalid_empty',
      name,
      `You passed an empty string for '${name}'. We assume empty values are an attempt to unset a parameter; however '${name}' cannot be unset.`,
    );
  }
  return value;
}

export function integer(form: Form, name: string): number | undefined {
  const value = text(form, name);
  if (value === undefined) return undefined;
  if (!/^-?\d{1,15}$/.test(value)) {
    throw invalidParameter('parameter_invalid_integer', name, `Invalid integer: ${value}`);
  }
  return Number(value);
}

export function flag(form: Form, name: string): boolean | undefined {
  const value = text(form, name);
  if (value === undefined || value === '') return undefined;
  if (value !== 'true' && value !== 'false') {
    throw invalidParameter('parameter_invalid_boolean', name, `Invalid boolean: ${value}`);
  }
  return value === 'true';
}

export function choice<const T extends string>(
  form: Form,
  name: string,
  choices: readonly T[],
): T | undefined {
  const value = text(form, name);
  if (value === undefined || value === '') return undefined;
  const chosen = choices.find((one) => one === value);
  if (chosen !== undefined) return chosen;
  throw invalidParameter('invalid_enum', name, `Invalid ${name}: must be one of ${choices.join(', ')}`);
}

export function nested(form: Form, name: string): Form | undefined {
  const value = form[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'object' && !Array.isArray(value)) return value;
  throw invalidParameter('parameter_invalid_object', name, 'Invalid object');
}

export function texts(form: Form, name: string): string[] | undefined {
  const value = form[name];
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value as string[];
  throw invalidParameter('parameter_invalid_array', name, 'Invalid array');
}

/** New metadata over old: `''` for a key removes it, `''` for the whole clears it. At most 50 keys of 40 and 500. */
export function metadata(form: Form, before: Record<string, string> = {}): Record<string, string> {
  if (form.metadata === '') return {};
  const merged = { ...before };
  for (const [key, value] of Object.entries(nested(form, 'metadata') ?? {})) {
    if (typeof value !== 'string' || value.length > 500 || key.length > 40) {
      throw invalidParameter('metadata_invalid', `metadata[${key}]`, `Invalid metadata: ${key}`);
    }
    if (value === '') delete merged[key];
    else merged[key] = value;
  }
  if (Object.keys(merged).length > 50) {
    throw invalidParameter('metadata_invalid', 'metadata', 'Metadata is limited to 50 keys.');
  }
  return merged;
}
