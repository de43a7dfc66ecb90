import { invalidParameter } from './objects.ts';

/** Parameters of a form-encoded request: `a[b]=1&c[0]=2` becomes `{a: {b: '1'}, c: {0: '2'}}`. */
export type Form = { [name: string]: string | Form };

export function parseForm(text: string): Form {
  const form: Form = {};
  for (const [key, value] of new URLSearchParams(text))
    place(form, key.replaceAll(']', '').split('['), value);
  return form;
}

function place(form: Form, [name = '', ...rest]: string[], value: string): void {
  if (rest.length === 0) {
    form[name] = value;
    return;
  }
  const inner = form[name];
  const target = typeof inner === 'object' ? inner : {};
  form[name] = target;
  place(target, rest, value);
}

/** Parameter names of a call, checked by the compiler against the package's own type of its parameters. */
export const names =
  <Params>() =>
  <Name extends keyof Params & string>(...list: Name[]): ReadonlySet<string> =>
    new Set<string>(list);

/** Refuses unknown parameters, as Stripe does. */
export function accept(form: Form, known: ReadonlySet<string>): void {
  for (const name of Object.keys(form)) {
    if (!known.has(name))
      throw invalidParameter('parameter_unknown', name, `Received unknown parameter: ${name}`);
  }
}

export function text(form: Form, name: string): string | undefined {
  const value = form[name];
  if (typeof value !== 'object') return value;
  throw invalidParameter('parameter_invalid_string', name, `Invalid string: ${JSON.stringify(value)}`);
}

export function required(form: Form, name: string): string {
  const value = text(form, name);
  if (value) return value;
  throw invalidParameter('parameter_missing', name, `Missing required param: ${name}.`);
}

export function integer(form: Form, name: string): number | undefined {
  const value = text(form, name);
  if (value === undefined) return undefined;
  if (/^-?\d{1,15}$/.test(value)) return Number(value);
  throw invalidParameter('parameter_invalid_integer', name, `Invalid integer: ${value}`);
}

export function choice<const T extends string>(
  form: Form,
  name: string,
  choices: readonly T[],
): T | undefined {
  const value = text(form, name);
  if (value === undefined) return undefined;
  const chosen = choices.find((one) => one === value);
  if (chosen !== undefined) return chosen;
  throw invalidParameter('invalid_enum', name, `Invalid ${name}: must be one of ${choices.join(', ')}`);
}

export const flag = (form: Form, name: string): boolean => choice(form, name, ['true', 'false']) === 'true';

export function nested(form: Form, name: string): Form | undefined {
  const value = form[name];
  if (typeof value !== 'string') return value;
  throw invalidParameter('parameter_invalid_object', name, 'Invalid object');
}

/** At most 50 keys of 40 characters with values of 500. */
export function metadata(form: Form): Record<string, string> {
  const entries = Object.entries(nested(form, 'metadata') ?? {});
  if (entries.length > 50) {
    throw invalidParameter('metadata_invalid', 'metadata', 'Metadata is limited to 50 keys.');
  }
  const checked = entries.map(([key, value]): [string, string] => {
    if (typeof value === 'string' && value.length <= 500 && key.length <= 40) return [key, value];
    throw invalidParameter('metadata_invalid', `metadata[${key}]`, `Invalid metadata: ${key}`);
  });
  return Object.fromEntries(checked);
}

export interface Page<T> {
  object: 'list';
  data: T[];
  has_more: boolean;
}

/** One page of a list, newest first: `limit` 1–100 (10), `starting_after`, `created[gte]`. */
export function page<T extends { id: string; created: number }>(
  all: Iterable<T>,
  form: Form,
  matches: (one: T) => boolean,
): Page<T> {
  const limit = integer(form, 'limit') ?? 10;
  if (limit < 1 || limit > 100) {
    throw invalidParameter('parameter_invalid_integer', 'limit', 'Limit must be between 1 and 100.');
  }
  const { gte = '0', ...others } = nested(form, 'created') ?? {};
  if (Object.keys(others).length > 0) throw new Error('This fake knows created[gte] only.');
  const found = [...all].reverse().filter((one) => one.created >= Number(gte) && matches(one));
  const after = text(form, 'starting_after');
  const start = after === undefined ? 0 : found.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) {
    throw invalidParameter('resource_missing', 'starting_after', `No such object: '${after}'`);
  }
  return { object: 'list', data: found.slice(start, start + limit), has_more: found.length > start + limit };
}
