import { Button, Loader, Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type RowData, useTable } from '@tanstack/react-table';
import { type FocusEvent, type ReactNode, useCallback, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Page } from '../api/list.ts';
import { PAGE_SIZE } from '../api/list.ts';
import { useTimeZone } from '../ui/dates.ts';
import { hasFailed, QueryError } from '../ui/Loaded.tsx';
import { type Compact, CompactRow } from './CompactRow.tsx';
import { type Columns, features } from './columns.ts';
import type { CountQuery } from './count.ts';
import { DataRow } from './DataRow.tsx';
import { useHeldRows } from './held.ts';
import type { List, ListState } from './list.ts';
import { moveThroughRows } from './list-keys.ts';
import { CountingPager, Pager, type PagerProps } from './Pager.tsx';
import { TableHead } from './TableHead.tsx';
import classes from './table.module.css';

/** As high as the real rows, and about as many, so that the layout does not shift. */
const SkeletonRows = <T extends RowData>({
  columns,
  isCompact,
  count,
}: {
  columns: Columns<T>;
  isCompact: boolean;
  count: number;
}) =>
  Array.from({ length: count }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: skeleton rows have no identity
    <tr key={row} aria-hidden>
      {isCompact ? (
        <td className={classes.compact}>
          <CompactRow
            title={<Bar width={`${40 + ((row * 7) % 30)}%`} />}
            details={[<Bar key="bar" width={`${9 + ((row * 3) % 5)}rem`} />]}
          />
        </td>
      ) : (
        columns.map(({ meta }, cell) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: skeleton rows have no identity
          <td key={cell}>
            <Bar width={`${45 + ((row * 7 + cell * 23) % 45)}%`} isRight={meta?.align === 'right'} />
          </td>
        ))
      )}
    </tr>
  ));

const Bar = ({ width, isRight = false }: { width: string; isRight?: boolean }) => (
  <Skeleton height={12} width={width} radius="xl" {...(isRight && { ml: 'auto' })} />
);

export interface DataTableProps<T extends RowData, S> {
  /** label for screen readers: 'Verifications' */
  label: string;
  /** in 'Showing 1-10 of 42 OTP(s)' */
  noun: string;
  list: List<S>;
  query: UseQueryResult<Page<T>>;
  /** stable: declared at module level, or memoised */
  columns: Columns<T>;
  /** the two lines of a row where there is no room for columns */
  compact: (row: T) => Compact;
  isCompact: boolean;
  rowId: (row: T) => string;
  /** a click on a row, or Enter on it */
  onOpen?: (row: T) => void;
  /** shown instead of the table while there are no rows and no filters */
  nothing: ReactNode;
  /** in the table while the filters match no row; default: 'No results.' */
  noMatchTitle?: string | undefined;
  /** shown below it */
  noMatch: ReactNode;
  /** after the number of rows */
  note?: (rows: readonly T[]) => ReactNode;
  /** the exact count, for a page that arrives before it */
  counting?: CountQuery;
  /** rows arrive while the list is shown: they wait while the pointer or the focus is on it */
  isLive?: boolean;
  /** the number of rows while they load */
  usualRows?: number;
  /** where rows show times of day, if not everywhere */
  times?: 'columns' | 'none';
  /** what the error says, below its title */
  failure: string;
  failureTitle?: string;
}

const NO_ROWS: readonly never[] = [];

/**
 * A list that the server pages, sorts and filters. The first load shows skeleton rows. Later loads keep the old page until the new
 * one arrives.
 */
export function DataTable<T extends RowData, S extends ListState>(props: DataTableProps<T, S>) {
  const { list, query, columns, isCompact, onOpen } = props;
  const opener = useRef(onOpen);
  opener.current = onOpen;
  const openNow = useCallback((row: T): void => opener.current?.(row), []);
  const { ordering, page } = list.search;
  // the dates in cells change with it
  const zone = useTimeZone();
  const { isHeld, holding } = useHolding();
  const view = JSON.stringify(list.search);
  const { shown, fresh, show } = useHeldRows(query.data, {
    isHeld: props.isLive === true && isHeld && !query.isPlaceholderData,
    view,
    rowId: props.rowId,
  });
  const data = (shown?.results ?? NO_ROWS) as T[];
  const table = useTable({ features, columns, data, getRowId: props.rowId });

  if (hasFailed(query))
    return <QueryError query={query} title={props.failureTitle} message={props.failure} />;
  const isEmpty = shown?.results.length === 0;
  const isPastTheEnd = isEmpty && page > 1;
  // The old page of a filter that was just cleared does not mean that the list is empty.
  const isUnused = isEmpty && !isPastTheEnd && !list.isFiltered && !query.isPlaceholderData;
  if (isUnused) return props.nothing;

  // The button disappears when pressed, so the focus moves to the first row.
  const showFresh = (): void => {
    flushSync(show);
    moveThroughRows(1);
  };
  const pager: PagerProps = {
    page,
    count: shown?.count ?? 0,
    noun: props.noun,
    isFiltered: list.isFiltered,
    note: props.note?.(data),
    hasTimes: props.times === undefined || (props.times === 'columns' && !isCompact),
    onTurn: (to) => list.change({ page: to } as Partial<S>),
  };
  const width = isCompact ? 1 : columns.length;
  return (
    <div className="relative overflow-hidden rounded-12 border border-line bg-surface">
      <div {...holding}>
        {fresh > 0 ? (
          <button
            type="button"
            className={`${classes.fresh} lift absolute z-3 cursor-pointer border-0 bg-accent font-600 text-on-filled`}
            onClick={showFresh}
          >
            {fresh.toLocaleString('en-US')} new
          </button>
        ) : null}
        <div className="overflow-x-auto">
          <table
            className="w-full border-collapse text-14 leading-[1.4] tabular-nums"
            aria-label={props.label}
            aria-busy={query.isPending}
          >
            <TableHead
              table={table}
              label={isCompact ? props.label : undefined}
              ordering={ordering}
              onSort={(by) => list.change({ ordering: by } as Partial<S>)}
            />
            <tbody className={classes.rows} data-stale={query.isPlaceholderData || undefined}>
              {query.isPending ? (
                <SkeletonRows columns={columns} isCompact={isCompact} count={props.usualRows ?? PAGE_SIZE} />
              ) : null}
              {isEmpty ? (
                <tr>
                  <td colSpan={width} className={`${classes.none} text-center text-15 font-600`}>
                    {props.noMatchTitle ?? 'No results.'}
                  </td>
                </tr>
              ) : null}
              {table.getRowModel().rows.map((row) => (
                <DataRow
                  key={row.id}
                  row={row}
                  original={row.original}
                  columns={columns}
                  compact={isCompact ? props.compact : undefined}
                  zone={zone}
                  onOpen={onOpen && openNow}
                />
              ))}
            </tbody>
          </table>
        </div>
      </div>
      {isPastTheEnd ? (
        <div className="border-t border-line px-4 py-6 text-center">
          <Button variant="default" onClick={() => list.change({ page: 1 } as Partial<S>)}>
            Back to the First Page
          </Button>
        </div>
      ) : isEmpty ? (
        props.noMatch
      ) : shown?.isAtLeast && props.counting ? (
        <CountingPager {...pager} counting={props.counting} />
      ) : shown ? (
        <Pager {...pager} />
      ) : (
        <div
          className={`${classes.foot} ${props.usualRows ? '' : classes.paged} flex items-center gap-[0.6rem] border-t border-line px-4 py-[0.7rem] text-13 text-ink-soft`}
          role="status"
        >
          <Loader size={14} aria-hidden />
          Loading...
        </div>
      )}
    </div>
  );
}

/** Whether the mouse or the keyboard's focus is on an element that spreads `holding`. A tap on a touch screen holds nothing. */
function useHolding() {
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const holding = useMemo(
    () => ({
      onPointerEnter: (event: { pointerType: string }) => setPointed(event.pointerType === 'mouse'),
      onPointerLeave: () => setPointed(false),
      onFocus: ({ target }: FocusEvent) => setFocused(target.matches(':focus-visible')),
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent) =>
        setFocused((before) => before && currentTarget.contains(relatedTarget)),
    }),
    [],
  );
  return { isHeld: isPointed || isFocused, holding };
}
