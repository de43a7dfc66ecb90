import { ActionIcon } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { FOCUSABLE } from '../../ui/focus-return.ts';
import { PlainTable } from '../../ui/PlainTable.tsx';
import classes from '../Operator.module.css';

interface Props<T> {
  label: string;
  /** of a row, for its button's label: 'bundle' */
  noun: string;
  headings: readonly string[];
  rows: readonly T[];
  cells: (row: T, n: number) => ReactNode;
  /** undefined for operators who may not change the rows */
  change: ((rows: T[]) => void) | undefined;
  /** the minimum number of rows */
  least?: number;
  /** its columns fit on a tablet */
  isNarrow?: boolean;
}

/** Rows of fields, each with a button that removes it. A new row gets the focus and scrolls into view. */
export function EditableTable<T>({
  label,
  noun,
  headings,
  rows,
  cells,
  change,
  least = 0,
  isNarrow = false,
}: Props<T>) {
  const table = useRef<HTMLDivElement>(null);
  const shown = useRef(rows.length);
  useEffect(() => {
    const isNew = rows.length > shown.current;
    shown.current = rows.length;
    if (!isNew) return;
    const row = table.current?.querySelector('tbody tr:last-child');
    row?.querySelector<HTMLElement>(FOCUSABLE)?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: 'nearest' });
  }, [rows.length]);
  if (rows.length === 0) return null;
  return (
    // Texts for screen readers only are placed absolutely: without `relative` they would widen the page.
    <div ref={table} className={`${classes.table} ${isNarrow ? classes.narrow : ''} relative mt-4`}>
      <PlainTable label={label} headings={headings} buttons={change && 'Remove'}>
        {rows.map((row, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other identity while it is edited
          <tr key={n}>
            {cells(row, n)}
            {change ? (
              <td>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Remove ${noun} ${n + 1}`}
                  disabled={rows.length <= least}
                  onClick={() => change(rows.filter((_, at) => at !== n))}
                >
                  <IconTrash size={16} aria-hidden />
                </ActionIcon>
              </td>
            ) : null}
          </tr>
        ))}
      </PlainTable>
    </div>
  );
}
