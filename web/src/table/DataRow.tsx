import { FlexRender, type Row as TableRow } from '@tanstack/react-table';
import { type KeyboardEvent, type MouseEvent, memo, type ReactNode } from 'react';
import { type Compact, CompactRow } from './CompactRow.tsx';
import type { Columns, features } from './columns.ts';
import classes from './table.module.css';

interface Props {
  // biome-ignore lint/suspicious/noExplicitAny: rows of any list
  row: TableRow<typeof features, any>;
  // biome-ignore lint/suspicious/noExplicitAny: rows of any list
  original: any;
  // biome-ignore lint/suspicious/noExplicitAny: rows of any list
  columns: Columns<any>;
  // biome-ignore lint/suspicious/noExplicitAny: rows of any list
  compact: ((row: any) => Compact) | undefined;
  zone: string;
  // biome-ignore lint/suspicious/noExplicitAny: rows of any list
  onOpen: ((row: any) => void) | undefined;
}

/** Rerenders only if its values, the columns or the time zone change, because the table recreates its rows with every page. */
export const DataRow = memo(
  ({ row, original, compact, onOpen }: Props): ReactNode => (
    <Row id={row.id} onOpen={onOpen && (() => onOpen(original))}>
      {compact ? (
        <td className={classes.compact}>
          <CompactRow {...compact(original)} />
        </td>
      ) : (
        row.getAllCells().map((cell) => (
          <td
            key={cell.id}
            className={cell.column.columnDef.meta?.align === 'right' ? 'text-end' : undefined}
          >
            <FlexRender cell={cell} />
          </td>
        ))
      )}
    </Row>
  ),
  (before, after) =>
    before.original === after.original &&
    before.columns === after.columns &&
    before.compact === after.compact &&
    before.zone === after.zone &&
    before.onOpen === after.onOpen,
);

interface RowProps {
  id: string;
  onOpen: (() => void) | undefined;
  children: ReactNode;
}

const CONTROLS = 'a, button, input, [role="menu"], [role="dialog"]';

/** A row. If it opens, a click anywhere on it or Enter opens it, and the arrow keys move between rows. */
function Row({ id, onOpen, children }: RowProps) {
  if (!onOpen) return <tr>{children}</tr>;
  return (
    <tr
      data-row={id}
      className="cursor-pointer hover:bg-canvas focus-visible:[outline-offset:-2px]"
      tabIndex={0}
      onClick={({ target }: MouseEvent) => {
        // Buttons and links inside the row handle their own clicks; selecting text is not a click.
        if ((target as Element).closest(CONTROLS)) return;
        if (window.getSelection()?.isCollapsed === false) return;
        onOpen();
      }}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget) return;
        if (event.key === 'Enter' || event.key === ' ') {
          event.preventDefault();
          onOpen();
        }
        moveByArrow(event);
      }}
    >
      {children}
    </tr>
  );
}

const siblings = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' } as const;

function moveByArrow(event: KeyboardEvent<HTMLTableRowElement>): void {
  const sibling = siblings[event.key as keyof typeof siblings];
  if (!sibling) return;
  event.preventDefault();
  (event.currentTarget[sibling] as HTMLElement | null)?.focus();
}
