import { expect, test } from 'vitest';
import { freshRows, newestValues } from './held.ts';

const rowId = ({ id }: { id: string }): string => id;
const page = (count: number, ...ids: string[]) => ({
  count,
  results: ids.map((id) => ({ id, status: 'sent' })),
});

test('new rows are counted by the growth of the list, and at least by the new rows of the page', () => {
  expect(freshRows(page(2, 'b', 'a'), page(2, 'b', 'a'), rowId)).toBe(0);
  expect(freshRows(page(12, 'b', 'a'), page(13, 'c', 'b'), rowId)).toBe(1);
  expect(freshRows(page(12, 'b', 'a'), page(24, 'n', 'm'), rowId)).toBe(12);
  // two arrived while others left the time window
  expect(freshRows(page(12, 'b', 'a'), page(11, 'd', 'c'), rowId)).toBe(2);
});

test('a removed row does not make the other rows new', () => {
  expect(freshRows(page(3, 'c', 'b', 'a'), page(2, 'c', 'b'), rowId)).toBe(0);
});

test('rows that arrive on other pages are not new on this one', () => {
  expect(freshRows(page(2, 'b', 'a'), page(5, 'b', 'a'), rowId)).toBe(0);
});

test('held rows keep their positions and show their newest values', () => {
  const held = page(2, 'b', 'a').results;
  const arrived = [
    { id: 'c', status: 'pending' },
    { id: 'b', status: 'verified' },
  ];
  expect(newestValues(held, arrived, rowId)).toEqual([
    { id: 'b', status: 'verified' },
    { id: 'a', status: 'sent' },
  ]);
});
