import { Button } from '@mantine/core';
import { IconArrowsSort, IconColumns3, IconFilter } from '@tabler/icons-react';
import type { RowData } from '@tanstack/react-table';
import { lazy, type ReactNode, type RefObject, Suspense, useLayoutEffect, useRef, useState } from 'react';
import { EmptyState } from '../ui/EmptyState.tsx';
import { lazyDialog } from '../ui/lazy-dialog.tsx';
import { TipIcon } from '../ui/TipIcon.tsx';
import { type Choice, useColumnChoice } from './columns.ts';
import { DataTable, type DataTableProps } from './DataTable.tsx';
import { ExportButton, useExport } from './ExportButton.tsx';
import { isUnused, type ListState } from './list.ts';
import type { Exporting } from './run-export.ts';
import { SearchBox } from './SearchBox.tsx';
import { Toolbar } from './Toolbar.tsx';

interface Props<T extends RowData, S extends ListState>
  extends Omit<DataTableProps<T, S>, 'isCompact' | 'nothing' | 'noMatchTitle' | 'noMatch'> {
  /** of the search box */
  placeholder: string;
  /** selects next to the search box */
  filters?: ReactNode;
  /** one of the filters always chooses, so an empty list needs them too */
  isPart?: boolean;
  /** rarely used selects, in a sheet */
  moreFilters?: { render: () => ReactNode; isSet: boolean };
  /** pixels that the columns need; with less room each row has two lines, and a sheet has the filters, order and export */
  columnsWidth?: number;
  /** between the toolbar and the rows */
  above?: ReactNode;
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
    /** while the filters match no row; default: 'No results.' */
    noMatchTitle?: string;
    /** the hint while the filters match no row */
    noMatch: ReactNode;
  };
}

const COLUMNS_WIDTH = 816;
/** With this much room, a list shows its optional columns. */
const ALL_WIDTH = 1100;
const NO_PAGE = { count: 0 };

/** Loaded with the first export. */
const ExportStatus = lazy(async () => ({ default: (await import('./ExportStatus.tsx')).ExportStatus }));
/** Loaded when it first opens. */
const FilterSheet = lazyDialog(async () => (await import('./FilterSheet.tsx')).FilterSheet);

/**
 * A list's main action for its heading, or null if the empty list has it. While that is unknown, the action cannot be
 * pressed: a button that moves would lose the press or the focus.
 */
export function headingAction(
  list: Parameters<typeof isUnused>[0],
  query: Parameters<typeof isUnused>[1] & { isPending: boolean },
  action: ReactNode,
): ReactNode {
  if (isUnused(list, query)) return null;
  return query.isPending ? (
    <div className="opacity-50" inert aria-hidden>
      {action}
    </div>
  ) : (
    action
  );
}

/** A list with its search, filters, actions and empty states. An empty list without a search or filter needs no toolbar. */
export function ListScreen<T extends RowData, S extends ListState>(props: Props<T, S>) {
  const {
    placeholder,
    filters,
    isPart = false,
    moreFilters,
    above,
    columnsWidth = COLUMNS_WIDTH,
    exporting,
    inert,
    empty,
    ...table
  } = props;
  const [isMore, setMore] = useState(false);
  const [frame, room] = useRoom(columnsWidth);
  const isCompact = room === 'compact';
  const choice = useColumnChoice(table.label, table.columns, room === 'all');
  const { list, query } = table;
  const count = query.data?.count ?? 0;
  const isBare = !isPart && isUnused(list, query);
  const { start, progress } = useExport(exporting, query.data ?? NO_PAGE, table.counting);
  return (
    <div ref={frame} inert={inert}>
      {isBare ? null : (
        <Toolbar
          search={<SearchBox list={list} placeholder={placeholder} />}
          isLong={placeholder.length > 32}
          tools={
            isCompact ? (
              <FiltersButton set={filters ? list.set : undefined} onOpen={() => setMore(true)} />
            ) : (
              <>
                {moreFilters ? (
                  <TipIcon
                    label="More filters"
                    variant={moreFilters.isSet ? 'light' : 'default'}
                    size="input-sm"
                    aria-haspopup="dialog"
                    onClick={() => setMore(true)}
                  >
                    <IconFilter size={18} stroke={1.75} aria-hidden />
                  </TipIcon>
                ) : null}
                <ColumnChoice choice={choice} />
                {exporting ? (
                  <ExportButton isBusy={progress !== undefined} disabled={count === 0} onStart={start} />
                ) : null}
              </>
            )
          }
        >
          {isCompact ? null : filters}
        </Toolbar>
      )}
      {above}
      <FilterSheet
        opened={isMore}
        onClose={() => setMore(false)}
        list={list as never}
        columns={isCompact && table.columns}
        count={query.isPlaceholderData || query.data?.isAtLeast ? undefined : count}
        onExport={exporting && count > 0 && !progress ? start : undefined}
      >
        {filters ? (
          <>
            {isCompact ? filters : null}
            {moreFilters?.render()}
          </>
        ) : null}
      </FilterSheet>
      {progress ? (
        <Suspense>
          <ExportStatus progress={progress} />
        </Suspense>
      ) : null}
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
        noMatchTitle={empty.noMatchTitle}
        noMatch={
          <div className="flex flex-col items-center gap-5 px-5 pt-2 pb-10 text-center">
            <p className="m-0 max-w-120 text-balance text-ink-soft">{empty.noMatch}</p>
            <Button variant="default" onClick={list.reset}>
              {filters ? 'Clear Filters' : 'Clear Search'}
            </Button>
          </div>
        }
      />
    </div>
  );
}

/** The room for a list's columns. It is measured before the first paint. */
function useRoom(columnsWidth: number): [RefObject<HTMLDivElement | null>, 'compact' | 'columns' | 'all'] {
  const ref = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState<'compact' | 'columns' | 'all'>('columns');
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = (): void => {
      const width = element.clientWidth;
      setRoom(width < columnsWidth ? 'compact' : width < ALL_WIDTH ? 'columns' : 'all');
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [columnsWidth]);
  return [ref, room];
}

/** Opens the sheet of a compact list. `set` is the number of filters that are set, undefined if the list has none. */
const FiltersButton = ({ set, onOpen }: { set: number | undefined; onOpen: () => void }) => {
  const name = set === undefined ? 'Sort' : 'Filters';
  const Icon = set === undefined ? IconArrowsSort : IconFilter;
  return (
    <Button
      variant={set ? 'light' : 'default'}
      px="sm"
      aria-haspopup="dialog"
      aria-label={set ? `${name}, ${set} set` : name}
      onClick={onOpen}
    >
      <Icon size={18} stroke={1.75} aria-hidden />
      <span className="ms-1.5 max-sm:hidden">{name}</span>
      {set ? <span className="ms-1">{set}</span> : null}
    </Button>
  );
};

const ColumnMenu = lazy(async () => ({ default: (await import('./ColumnMenu.tsx')).ColumnMenu }));

/** The button that opens the choice of columns. */
function ColumnChoice<T extends RowData>({ choice }: { choice: Choice<T> }) {
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
  if (choice.columns.filter(({ meta }) => !meta?.isAction).length < 3) return null;
  if (!wasOpened) return button;
  return (
    <Suspense fallback={button}>
      <ColumnMenu choice={choice} />
    </Suspense>
  );
}
