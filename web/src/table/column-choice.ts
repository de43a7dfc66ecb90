import type { RowData } from '@tanstack/react-table';
import { useMemo, useState } from 'react';
import { remember, remembered } from '../ui/remembered.ts';
import type { Columns } from './columns.ts';

/** A column that can be hidden. */
export interface Choosable {
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
