import { Button, NativeSelect } from '@mantine/core';
import { IconColumns3, IconFilter } from '@tabler/icons-react';
import type { RowData } from '@tanstack/react-table';
import { lazy, type ReactNode, type RefObject, Suspense, useLayoutEffect, useRef, useState } from 'react';
import { EmptyState } from '../ui/EmptyState.tsx';
import { TipIcon } from '../ui/TipIcon.tsx';
import type { Columns } from './columns.ts';
import { type Choice, sortChoices, useColumnChoice } from './columns.ts';
import { DataTable, type DataTableProps } from './DataTable.tsx';
import { ExportButton, ExportStatus, useExport } from './ExportButton.tsx';
import type { List, ListState } from './list.ts';
import type { Exporting } from './run-export.ts';
import { SearchBox } from './SearchBox.tsx';
import { Toolbar } from './Toolbar.tsx';

interface Props<T extends RowData, S extends ListState>
  extends Omit<DataTableProps<T, S>, 'isCompact' | 'nothing' | 'noMatch'> {
  /** of the search box */
  placeholder: string;
  /** selects next to the search box */
  filters?: ReactNode;
  /** selects that a button shows; always shown while one of them is set */
  moreFilters?: { render: () => ReactNode; isSet: boolean };
  /** buttons at the end of the toolbar */
  actions?: ReactNode;
  /** pixels that the columns need; with less room each row has two lines */
  columnsWidth?: number;
  /** offers the matching rows as CSV */
  exporting?: Exporting;
  /** the list is only a skeleton: its controls do not react yet */
  inert?: boolean;
  empty: {
    icon: ReactNode;
    title: string;
    /** replaces the list while it has no rows and no filter is set: the explanation and the next step */
    text?: ReactNode;
    action?: ReactNode;
    /** a `<CodeBlock>` that works as pasted */
    snippet?: ReactNode;
    /** in place of the title, the text and the action */
    nothing?: ReactNode;
    /** the heading while the filters match no row */
    noMatchTitle?: string;
    /** the hint while the filters match no row */
    noMatch: ReactNode;
  };
}

const COLUMNS_WIDTH = 816;
const NO_PAGE = { count: 0 };

/** A list with its search, filters, actions and empty states. Without filters, an empty list needs no toolbar. */
export function ListScreen<T extends RowData, S extends ListState>(props: Props<T, S>) {
  const {
    placeholder,
    filters,
    moreFilters,
    actions,
    columnsWidth = COLUMNS_WIDTH,
    exporting,
    inert,
    empty,
    ...table
  } = props;
  const [isMore, setMore] = useState(false);
  const choice = useColumnChoice(table.label, table.columns);
  const { list, query } = table;
  const [frame, isCompact] = useNarrow(columnsWidth);
  const count = query.data?.count ?? 0;
  const isUnused = query.data?.count === 0 && !list.isFiltered && !query.isPlaceholderData;
  const { start, progress } = useExport(exporting, query.data ?? NO_PAGE, table.counting);
  return (
    <div ref={frame} inert={inert}>
      {isUnused && !filters ? null : (
        <Toolbar
          search={<SearchBox list={list} placeholder={placeholder} />}
          isLong={placeholder.length > 32}
          tools={
            <>
              {moreFilters ? (
                <TipIcon
                  label="More filters"
                  variant={moreFilters.isSet ? 'light' : 'default'}
                  size="input-sm"
                  aria-expanded={isMore || moreFilters.isSet}
                  onClick={() => setMore((before) => !before)}
                >
                  <IconFilter size={18} stroke={1.75} aria-hidden />
                </TipIcon>
              ) : null}
              {isCompact || count === 0 ? null : <ColumnChoice choice={choice} />}
              {exporting && count > 0 ? (
                <ExportButton isBusy={progress !== undefined} onStart={start} />
              ) : null}
            </>
          }
          more={
            moreFilters && (isMore || moreFilters.isSet) ? <Suspense>{moreFilters.render()}</Suspense> : null
          }
          actions={actions}
        >
          {filters}
          {isCompact ? <SortSelect list={list} columns={table.columns} /> : null}
        </Toolbar>
      )}
      {progress ? <ExportStatus progress={progress} /> : null}
      <DataTable
        {...table}
        columns={choice.shown}
        isCompact={isCompact}
        nothing={
          empty.nothing ?? (
            <EmptyState icon={empty.icon} title={empty.title} action={empty.action} snippet={empty.snippet}>
              {empty.text}
            </EmptyState>
          )
        }
        noMatch={
          <EmptyState
            icon={empty.icon}
            title={empty.noMatchTitle ?? 'Nothing matches'}
            isInside
            action={
              <Button variant="default" onClick={list.reset}>
                {filters ? 'Clear Filters' : 'Clear Search'}
              </Button>
            }
          >
            {empty.noMatch}
          </EmptyState>
        }
      />
    </div>
  );
}

/** Whether an element is narrower than `limit` pixels. It is measured before the first paint. */
function useNarrow(limit: number): [RefObject<HTMLDivElement | null>, boolean] {
  const ref = useRef<HTMLDivElement>(null);
  const [isNarrow, setNarrow] = useState(false);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = (): void => setNarrow(element.clientWidth < limit);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [limit]);
  return [ref, isNarrow];
}

/** Sorts a list that shows no column headers. */
function SortSelect<T extends RowData, S extends ListState>(props: { list: List<S>; columns: Columns<T> }) {
  const { list, columns } = props;
  const { ordering } = list.search;
  const choices = sortChoices(columns);
  // The list may be sorted by a field without a column.
  if (!choices.some(({ value }) => value === ordering))
    choices.unshift({ value: ordering, label: ordering === '-created_at' ? 'Newest first' : 'Chosen order' });
  return (
    <NativeSelect
      aria-label="Sort by"
      value={ordering}
      onChange={(event) => list.change({ ordering: event.currentTarget.value } as Partial<S>)}
      data={choices}
    />
  );
}

const ColumnMenu = lazy(async () => ({ default: (await import('./ColumnMenu.tsx')).ColumnMenu }));

/** The button that opens the choice of columns. */
function ColumnChoice({ choice }: { choice: Choice }) {
  const [wasOpened, setWasOpened] = useState(false);
  const button = (
    <TipIcon
      label="Columns"
      variant="default"
      size="input-sm"
      aria-haspopup="menu"
      onClick={() => setWasOpened(true)}
    >
      <IconColumns3 size={18} stroke={1.75} aria-hidden />
    </TipIcon>
  );
  if (choice.choosable.length < 2) return null;
  if (!wasOpened) return button;
  return (
    <Suspense fallback={button}>
      <ColumnMenu choice={choice} />
    </Suspense>
  );
}
