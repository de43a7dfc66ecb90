import { expect, test } from 'vitest';
import { columnsOf } from './columns.ts';
import { sortChoices } from './FilterSheet.tsx';

const column = columnsOf<{ name: string; amount: number; created_at: string }>();

test('the sort menu offers both orders of every sortable column, times with the newest first', () => {
  const columns = column.columns([
    column.accessor('created_at', { header: 'Created', meta: { isSortable: true } }),
    column.accessor('name', { header: 'Name', meta: { isSortable: true } }),
    column.accessor('amount', { header: 'Credits', meta: { isSortable: true, align: 'right' } }),
    column.display({ id: 'delete', header: 'Actions' }),
  ]);
  expect(sortChoices(columns)).toEqual([
    { value: '-created_at', label: 'Newest first' },
    { value: 'created_at', label: 'Oldest first' },
    { value: 'name', label: 'Name: A to Z' },
    { value: '-name', label: 'Name: Z to A' },
    { value: 'amount', label: 'Credits: lowest first' },
    { value: '-amount', label: 'Credits: highest first' },
  ]);
});
