import { Button, Loader, VisuallyHidden } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { type RowData, type SortingState, useTable } from '@tanstack/react-table';
import { type KeyboardEvent, type MouseEvent, type ReactNode, useMemo } from 'react';
import type { Page } from '../api/list.ts';
import { QueryError } from '../ui/QueryError.tsx';
import { type Columns, features } from './columns.ts';
import classes from './DataTable.module.css';
import type { List, ListState } from './list.ts';
import { PAGE_SIZE, Pager } from './Pager.tsx';
import { SkeletonRows } from './SkeletonRows.tsx';

export interface DataTableProps<T extends RowData, S> {
  /** label for screen readers: 'Verifications' */
  label: string;
  /** in 'Showing 1-10 of 42 OTP(s)' */
  noun: string;
  list: List<S>;
  query: UseQueryResult<Page<T>>;
  /** stable: declared at module level, or memoised */
  columns: Columns<T>;
  rowId: (row: T) => string;
  /** a click on a row, or Enter on it */
  onOpen?: (row: T) => void;
  /** shown instead of the table when there are no rows */
  empty: ReactNode;
  /** error title and description, for example 'Error loading data' */
  error: { title: string; message?: string };
}

const NO_ROWS: readonly never[] = [];

/**
 * A list that the server pages, sorts and filters. The first load shows skeleton rows. Later loads keep the old page until the new
 * one arrives. On a phone each row is a card.
 */
export function DataTable<T extends RowData, S extends ListState>(props: DataTableProps<T, S>) {
  const { list, query, onOpen, rowId } = props;
  const { ordering, page } = list.search;
  const sorting = useMemo<SortingState>(
    () => [{ id: ordering.replace(/^-/, ''), desc: ordering.startsWith('-') }],
    [ordering],
  );
  const data = (query.data?.results ?? NO_ROWS) as T[];
  const table = useTable({
    features,
    columns: props.columns,
    data,
    getRowId: rowId,
    manualPagination: true,
    manualSorting: true,
    enableSortingRemoval: false,
    defaultColumn: { enableSorting: false },
    rowCount: query.data?.count ?? 0,
    state: { sorting, pagination: { pageIndex: page - 1, pageSize: PAGE_SIZE } },
  });

  // Keep the error during a retry, so that the screen does not flicker.
  if (query.errorUpdateCount > 0 && !query.data) {
    return <QueryError query={query} {...props.error} />;
  }
  if (query.data && query.data.results.length === 0) {
    if (query.data.count > 0 && page > 1)
      return <PastTheEnd onFirst={() => list.change({ page: 1 } as Partial<S>)} />;
    return props.empty;
  }

  const sort = (id: string): void => {
    const descends = ordering === id ? true : ordering === `-${id}` ? false : id.endsWith('_at');
    list.change({ ordering: descends ? `-${id}` : id } as Partial<S>);
  };
  const openByClick = (event: MouseEvent, row: T): void => {
    // Buttons and links inside the row handle their own clicks; selecting text is not a click.
    if ((event.target as Element).closest('a, button, input, [role="menu"], [role="dialog"]')) return;
    if (window.getSelection()?.isCollapsed === false) return;
    onOpen?.(row);
  };
  const openByKey = (event: KeyboardEvent<HTMLTableRowElement>, row: T): void => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      onOpen?.(row);
    }
    const next = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' } as const;
    const way = next[event.key as keyof typeof next];
    if (way) {
      event.preventDefault();
      (event.currentTarget[way] as HTMLElement | null)?.focus();
    }
  };

  return (
    <div className={classes.frame} data-stale={query.isPlaceholderData || undefined}>
      <div className={classes.scroll}>
        {/* biome-ignore-start lint/a11y/noRedundantRoles: a table that is drawn as cards loses its own roles */}
        <table className={classes.table} role="table" aria-label={props.label} aria-busy={query.isPending}>
          <thead role="rowgroup">
            {table.getHeaderGroups().map((group) => (
              <tr key={group.id} role="row">
                {group.headers.map((header) => {
                  const { meta, enableSorting } = header.column.columnDef;
                  const isSorted = sorting[0]?.id === header.column.id;
                  const descends = sorting[0]?.desc;
                  return (
                    <th
                      key={header.id}
                      role="columnheader"
                      scope="col"
                      data-align={meta?.align}
                      data-wide={meta?.wide}
                      style={meta?.width ? { width: meta.width } : undefined}
                      aria-sort={
                        enableSorting && isSorted ? (descends ? 'descending' : 'ascending') : undefined
                      }
                    >
                      {enableSorting ? (
                        <button type="button" className={classes.sort} onClick={() => sort(header.column.id)}>
                          <table.FlexRender header={header} />
                          {isSorted ? (
                            descends ? (
                              <IconArrowDown size={14} aria-hidden />
                            ) : (
                              <IconArrowUp size={14} aria-hidden />
                            )
                          ) : (
                            <IconArrowsSort size={14} className={classes.unsorted} aria-hidden />
                          )}
                        </button>
                      ) : meta?.card === 'action' ? (
                        <VisuallyHidden>
                          <table.FlexRender header={header} />
                        </VisuallyHidden>
                      ) : (
                        <table.FlexRender header={header} />
                      )}
                    </th>
                  );
                })}
              </tr>
            ))}
          </thead>
          <tbody role="rowgroup">
            {query.isPending ? (
              <SkeletonRows columns={props.columns.length} />
            ) : (
              table.getRowModel().rows.map((row) => (
                <tr
                  key={row.id}
                  role="row"
                  data-opens={onOpen ? true : undefined}
                  {...(onOpen && {
                    tabIndex: 0,
                    onClick: (event: MouseEvent) => openByClick(event, row.original as T),
                    onKeyDown: (event: KeyboardEvent<HTMLTableRowElement>) =>
                      openByKey(event, row.original as T),
                  })}
                >
                  {row.getAllCells().map((cell) => {
                    const { meta, header } = cell.column.columnDef;
                    return (
                      <td
                        key={cell.id}
                        role="cell"
                        data-align={meta?.align}
                        data-wide={meta?.wide}
                        data-card={meta?.card}
                        data-label={typeof header === 'string' ? header : undefined}
                      >
                        <table.FlexRender cell={cell} />
                      </td>
                    );
                  })}
                </tr>
              ))
            )}
          </tbody>
        </table>
        {/* biome-ignore-end lint/a11y/noRedundantRoles: see above */}
      </div>
      {query.data ? (
        <Pager
          page={page}
          count={query.data.count}
          noun={props.noun}
          isFiltered={list.isFiltered}
          onTurn={(to) => list.change({ page: to } as Partial<S>)}
        />
      ) : (
        <div className={classes.loading} role="status">
          <Loader size={14} aria-hidden />
          Loading...
        </div>
      )}
    </div>
  );
}

const PastTheEnd = ({ onFirst }: { onFirst: () => void }) => (
  <div className={classes.nothing}>
    <p>No results.</p>
    <Button variant="default" onClick={onFirst}>
      Back to the first page
    </Button>
  </div>
);
