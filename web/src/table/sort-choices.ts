import type { RowData } from '@tanstack/react-table';
import { type Columns, idOf } from './columns.ts';

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
