import { invalidParameter } from './failure.ts';
import { type Form, integer, nested, text } from './form.ts';

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
