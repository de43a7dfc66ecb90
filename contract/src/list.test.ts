import { describe, expect, test } from 'vitest';
import { createdAfter, listQuery } from './list.ts';

const query = listQuery(['created_at', 'name'], '-created_at');
const accepts = (text: string): boolean => createdAfter.safeParse(text).success;

test('an empty list query means the first ten rows in the default order', () => {
  expect(query.parse({})).toEqual({ page: 1, page_size: 10, search: '', ordering: '-created_at' });
});

test('numeric query parameters are parsed from text', () => {
  expect(query.parse({ page: '3', page_size: '100' })).toMatchObject({ page: 3, page_size: 100 });
});

test.each([
  { page: '0' },
  { page: '1.5' },
  { page: 'x' },
  { page_size: '101' },
  { ordering: 'password' },
  { search: 'a\0b' },
  { search: 'x'.repeat(201) },
])('the list query %j is refused', (raw) => {
  expect(query.safeParse(raw).success).toBe(false);
});

describe('a time window', () => {
  test.each(['1', '15', '9999', '2026-11-21', '2026-11-21T03:05:12.000Z', '2026-11-21T03:05+02:00'])(
    'the time window %s is accepted',
    (text) => expect(accepts(text)).toBe(true),
  );
  test.each(['0', '-1', '1.5', '99999', 'yesterday', '2026-13-01', '1969-12-31', '2026-11-21  03:05'])(
    'the time window %s is refused',
    (text) => expect(accepts(text)).toBe(false),
  );
});
