import {
  type ColumnDef,
  createColumnHelper,
  metaHelper,
  type RowData,
  rowPaginationFeature,
  rowSortingFeature,
  tableFeatures,
} from '@tanstack/react-table';
import { useMemo, useState } from 'react';
import { remember, remembered } from '../ui/remembered.ts';

const directions = {
  time: { asc: 'oldest first', desc: 'newest first' },
  number: { asc: 'lowest first', desc: 'highest first' },
  text: { asc: 'A to Z', desc: 'Z to A' },
} as const;

/** Both orders of each sortable column: 'Created: newest first'. */
export const sortChoices = <T extends RowData>(columns: Columns<T>): { value: string; label: string }[] =>
  columns.flatMap((column) => {
    const id = column.id ?? ('accessorKey' in column ? String(column.accessorKey) : '');
    if (!column.enableSorting || id === '') return [];
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

/** A column that can be hidden. */
interface Choosable {
  id: string;
  header: string;
  isShown: boolean;
}

export interface Choice {
  choosable: readonly Choosable[];
  toggle: (id: string) => void;
}

const idOf = <T extends RowData>(column: Columns<T>[number]): string =>
  column.id ?? ('accessorKey' in column ? String(column.accessorKey) : '');

/** The columns that differ from what a list shows at first, by their ids. */
const storedAs = (list: string): string => `columns_${list.toLowerCase().replaceAll(' ', '_')}`;

/** The shown columns of a list, stored in this browser. The first column and the actions always are. */
export function useColumnChoice<T extends RowData>(
  list: string,
  columns: Columns<T>,
): Choice & { shown: Columns<T> } {
  const [changed, setChanged] = useState(
    () => new Set((remembered(storedAs(list)) ?? '').split(',').filter(Boolean)),
  );
  return useMemo(() => {
    const isShown = (column: Columns<T>[number]): boolean =>
      changed.has(idOf(column)) === (column.meta?.isOptional ?? false);
    return {
      shown: columns.filter((column) => column.meta?.isAction || isShown(column)),
      choosable: columns
        .filter((column, index) => index > 0 && !column.meta?.isAction)
        .map((column) => ({ id: idOf(column), header: String(column.header), isShown: isShown(column) })),
      toggle: (id) => {
        const next = new Set(changed);
        if (!next.delete(id)) next.add(id);
        remember(storedAs(list), next.size === 0 ? undefined : [...next].join(','));
        setChanged(next);
      },
    };
  }, [columns, changed, list]);
}

interface ColumnMeta {
  align?: 'right';
  /** its header is for screen readers only */
  isAction?: true;
  /** hidden until it is chosen */
  isOptional?: true;
  /** fixed width, for example '9rem' */
  width?: string;
}

export const features = tableFeatures({
  rowPaginationFeature,
  rowSortingFeature,
  columnMeta: metaHelper<ColumnMeta>(),
});
// biome-ignore lint/suspicious/noExplicitAny: each column has a value of its own type
export type Columns<T extends RowData> = readonly ColumnDef<typeof features, T, any>[];

/**
 * Columns are declared at module level: `const column = columnsOf<ApiKey>()`, then
 * `column.columns([column.accessor('name', { header: 'Name' }), …])`. `enableSorting: true` makes a column
 * sortable if its id is one of the list's orderings.
 */
export const columnsOf = <T extends RowData>() => createColumnHelper<typeof features, T>();
