import { expect, test } from 'vitest';
import { anyText, listSearch, oneOf, parseSearch, stringifySearch } from './search.ts';

const orders = listSearch({
  orderings: ['created_at', 'name'],
  ordering: '-created_at',
  filters: { days: oneOf(['1', '15', 'all'], '15'), api_key: anyText },
  views: { mode: oneOf(['live', 'test'], 'live') },
});
const { validateSearch, search } = orders.routing;
const read = (raw: object) => validateSearch(raw as never);

test('an empty query string means the defaults', () => {
  expect(read({})).toEqual({
    page: 1,
    search: '',
    ordering: '-created_at',
    days: '15',
    api_key: '',
    mode: 'live',
  });
  expect(orders.defaults).toEqual(read({}));
});

test('a query string reads back as it was written, and numeric text stays text', () => {
  const address = { page: 3, search: '0155', ordering: 'name', days: 'all', api_key: '42', mode: 'test' };
  expect(read(parseSearch(stringifySearch(address)))).toEqual(address);
});

test.each([
  { page: '0' },
  { page: '-2' },
  { page: 'x' },
  { ordering: 'password' },
  { ordering: '--name' },
  { days: '14' },
])('an invalid value in the URL becomes the default: %j', (raw) => {
  expect(read(raw)).toEqual(orders.defaults);
});

test('a fractional page number is rounded down', () => {
  expect(read({ page: '2.9' }).page).toBe(2);
});

test('the URL leaves out values that equal their default', () => {
  const [shorten] = search.middlewares;
  const changed = { ...orders.defaults, page: 2, days: 'all' as const };
  expect(shorten?.({ search: orders.defaults, next: () => changed } as never)).toEqual({
    page: 2,
    days: 'all',
  });
});

test('a list counts as filtered by its search and filters, but not by its page, ordering and view', () => {
  const { defaults, isFiltered } = orders;
  expect(isFiltered({ ...defaults, page: 4, ordering: 'name', mode: 'test' })).toBe(false);
  expect(isFiltered({ ...defaults, search: 'alice' })).toBe(true);
  expect(isFiltered({ ...defaults, days: 'all' })).toBe(true);
  expect(isFiltered({ ...defaults, api_key: '42' })).toBe(true);
});

test('empty values are left out of the query string', () => {
  expect(stringifySearch({ a: '', b: undefined, c: null })).toBe('');
  expect(stringifySearch({ search: 'a b&c', page: 2 })).toBe('?search=a+b%26c&page=2');
});
