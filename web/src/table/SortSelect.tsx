import { NativeSelect } from '@mantine/core';
import type { RowData } from '@tanstack/react-table';
import type { Columns } from './columns.ts';
import type { List, ListState } from './list.ts';
import { sortChoices } from './sort-choices.ts';

/** Sorts a list that shows no column headers. */
export function SortSelect<T extends RowData, S extends ListState>(props: {
  list: List<S>;
  columns: Columns<T>;
}) {
  const { list, columns } = props;
  const { ordering } = list.search;
  const choices = sortChoices(columns);
  // The order may be by something without a column.
  if (!choices.some(({ value }) => value === ordering))
    choices.unshift({ value: ordering, label: ordering === '-created_at' ? 'Newest first' : 'Chosen order' });
  return (
    <NativeSelect
      aria-label="Sort by"
      value={ordering}
      onChange={(event) => list.change({ ordering: event.currentTarget.value } as Partial<S>)}
      data={choices}
    />
  );
}
