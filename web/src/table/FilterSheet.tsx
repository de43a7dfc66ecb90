import { Button, NativeSelect } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { RowData } from '@tanstack/react-table';
import { type ReactNode, Suspense } from 'react';
import { DialogActions, SideSheet } from '../ui/Dialog.tsx';
import { countOf } from '../ui/numbers.ts';
import { type Columns, idOf } from './columns.ts';
import { Labels } from './labels.ts';
import type { List, ListState } from './list.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
  list: Sorted;
  /** false: the list shows its columns, which sort it, and its export */
  columns: AnyColumns | false;
  /** the matching rows; undefined while they are not counted */
  count: number | undefined;
  onExport: (() => void) | undefined;
  /** the filters, null if the list has none */
  children: ReactNode;
}

/** The further filters of a list or, without columns, all of them, the order and the export. Changes apply immediately. */
export function FilterSheet({ opened, onClose, onExport, count, list, columns, children }: Props) {
  return (
    <SideSheet
      opened={opened}
      onClose={onClose}
      title={children ? 'Filters' : 'Sort'}
      {...(window.innerWidth < 768 && { side: 'bottom', size: 'auto' })}
    >
      <Labels value>
        <div className="grid grid-cols-1 gap-3.5">
          <Suspense>{children}</Suspense>
          {columns ? <SortSelect list={list} columns={columns} /> : null}
        </div>
      </Labels>
      <DialogActions>
        {columns && onExport ? (
          <Button
            variant="default"
            className="me-auto"
            leftSection={<IconDownload size={18} stroke={1.75} aria-hidden />}
            onClick={() => {
              onExport();
              onClose();
            }}
          >
            Export as CSV
          </Button>
        ) : null}
        {children && list.isFiltered ? (
          <Button variant="default" onClick={list.reset}>
            Clear Filters
          </Button>
        ) : null}
        <Button onClick={onClose}>{count === undefined ? 'Show Results' : shown(count)}</Button>
      </DialogActions>
    </SideSheet>
  );
}

const shown = (count: number): string => `Show ${countOf(count, 'Result')}`;

// biome-ignore lint/suspicious/noExplicitAny: rows of any list
type AnyColumns = Columns<any>;

type Sorted = Pick<List<ListState>, 'search' | 'isFiltered' | 'reset'> & {
  change: (patch: { ordering: never }) => void;
};

function SortSelect({ list, columns }: { list: Sorted; columns: AnyColumns }) {
  const { ordering } = list.search;
  const choices = sortChoices(columns);
  // The list may be sorted by a field without a column.
  if (!choices.some(({ value }) => value === ordering))
    choices.unshift({ value: ordering, label: ordering === '-created_at' ? 'Newest first' : 'Chosen order' });
  return (
    <NativeSelect
      label="Sort by"
      value={ordering}
      onChange={(event) => list.change({ ordering: event.currentTarget.value as never })}
      data={choices}
    />
  );
}

const directions = {
  time: { asc: 'oldest first', desc: 'newest first' },
  number: { asc: 'lowest first', desc: 'highest first' },
  text: { asc: 'A to Z', desc: 'Z to A' },
} as const;

/** Both orders of each sortable column: 'Created: newest first'. */
export const sortChoices = <T extends RowData>(columns: Columns<T>): { value: string; label: string }[] =>
  columns.flatMap((column) => {
    const id = idOf(column);
    if (!column.meta?.isSortable || id === '') return [];
    const kind = id.endsWith('_at') ? 'time' : column.meta?.align === 'right' ? 'number' : 'text';
    const order = kind === 'time' ? (['desc', 'asc'] as const) : (['asc', 'desc'] as const);
    return order.map((direction) => ({
      value: direction === 'desc' ? `-${id}` : id,
      label: labelOf(id, String(column.header), directions[kind][direction]),
    }));
  });

/** By the time of creation, which most lists are about, the direction alone. */
const labelOf = (id: string, header: string, direction: string): string =>
  id === 'created_at' ? direction.replace(/^./, (first) => first.toUpperCase()) : `${header}: ${direction}`;
