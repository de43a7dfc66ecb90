import { FlexRender, type Row as TableRow } from '@tanstack/react-table';
import { memo, type ReactNode } from 'react';
import { type Compact, CompactRow } from './CompactRow.tsx';
import type { Columns, features } from './columns.ts';
import { Row } from './Row.tsx';
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

/** Drawn again only if its values, the columns or the time zone change: the table makes its rows anew with every page that arrives. */
export const DataRow = memo(
  ({ row, original, compact, onOpen }: Props): ReactNode => (
    <Row onOpen={onOpen && (() => onOpen(original))}>
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
