import {
  type ColumnDef,
  createColumnHelper,
  metaHelper,
  type RowData,
  tableFeatures,
} from '@tanstack/react-table';
import { useMemo, useState } from 'react';
import { remember, remembered } from '../ui/remembered.ts';

/** Which columns of a list are shown, and what the user changed. */
export interface Choice<T extends RowData> {
  columns: Columns<T>;
  isShown: (column: Columns<T>[number]) => boolean;
  isWide: boolean;
  changed: ReadonlySet<string>;
  change: (changed: ReadonlySet<string>) => void;
}

export const idOf = <T extends RowData>(column: Columns<T>[number]): string =>
  column.id ?? ('accessorKey' in column ? String(column.accessorKey) : '');

const storedAs = (list: string): string => `columns_${list.toLowerCase().replaceAll(' ', '_')}`;

/** Whether a column is shown unless the user changes that. */
export const isShownAtFirst = <T extends RowData>({ meta }: Columns<T>[number], isWide: boolean): boolean =>
  meta?.isOptional === undefined || (meta.isOptional === 'where wide' && isWide);

/** What a user's choice to hide the column is stored as. */
export const hiddenAs = <T extends RowData>(column: Columns<T>[number]): string =>
  column.meta?.isOptional ? `-${idOf(column)}` : idOf(column);

/**
 * The shown columns of a list. The first column and the actions always are; optional ones are where there is room (`isWide`). The
 * user's choices are stored in this browser: an id hides a column or shows an optional one, and `-id` hides an optional one.
 */
export function useColumnChoice<T extends RowData>(
  list: string,
  columns: Columns<T>,
  isWide: boolean,
): Choice<T> & { shown: Columns<T> } {
  const [changed, setChanged] = useState<ReadonlySet<string>>(
    () => new Set((remembered(storedAs(list)) ?? '').split(',').filter(Boolean)),
  );
  return useMemo(() => {
    const isShown = (column: Columns<T>[number]): boolean => {
      const id = idOf(column);
      return isShownAtFirst(column, isWide) ? !changed.has(hiddenAs(column)) : changed.has(id);
    };
    return {
      columns,
      shown: columns.filter((column) => column.meta?.isAction || isShown(column)),
      isShown,
      isWide,
      changed,
      change: (next) => {
        remember(storedAs(list), [...next].join(',') || undefined);
        setChanged(next);
      },
    };
  }, [columns, changed, list, isWide]);
}

interface ColumnMeta {
  align?: 'right';
  /** its header is for screen readers only */
  isAction?: true;
  /** hidden until it is chosen, or without room for all columns */
  isOptional?: 'if chosen' | 'where wide';
  /** the server can sort by it: its id is one of the list's orderings */
  isSortable?: true;
  /** fixed width, for example '9rem' */
  width?: string;
}

/** The server sorts and pages, so the table needs none of the library's features. */
export const features = tableFeatures({ columnMeta: metaHelper<ColumnMeta>() });
// biome-ignore lint/suspicious/noExplicitAny: each column has a value of its own type
export type Columns<T extends RowData> = readonly ColumnDef<typeof features, T, any>[];

/**
 * Columns are declared at module level: `const column = columnsOf<ApiKey>()`, then
 * `column.columns([column.accessor('name', { header: 'Name' }), …])`. `meta: { isSortable: true }` makes a
 * column sortable.
 */
export const columnsOf = <T extends RowData>() => createColumnHelper<typeof features, T>();
