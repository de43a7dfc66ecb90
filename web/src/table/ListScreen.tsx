import { Button } from '@mantine/core';
import type { RowData } from '@tanstack/react-table';
import type { ReactNode } from 'react';
import { EmptyState } from '../ui/EmptyState.tsx';
import { DataTable, type DataTableProps } from './DataTable.tsx';
import { ExportButton, useExport } from './ExportButton.tsx';
import { ExportStatus } from './ExportStatus.tsx';
import type { ListState } from './list.ts';
import { useNarrow } from './narrow.ts';
import type { Exporting } from './run-export.ts';
import { SearchBox } from './SearchBox.tsx';
import { SortSelect } from './SortSelect.tsx';
import { Toolbar } from './Toolbar.tsx';

interface Props<T extends RowData, S extends ListState>
  extends Omit<DataTableProps<T, S>, 'isCompact' | 'nothing' | 'noMatch'> {
  /** of the search box */
  placeholder: string;
  /** selects next to the search box */
  filters?: ReactNode;
  /** buttons at the end of the toolbar */
  actions?: ReactNode;
  /** pixels that the columns need; on less room each row has two lines */
  columnsWidth?: number;
  /** offers the matching rows as CSV */
  exporting?: Exporting;
  empty: {
    icon: ReactNode;
    title: string;
    /** replaces the list while it has no rows and no filter is set */
    nothing: ReactNode;
    /** the hint while the filters match no row */
    noMatch: ReactNode;
  };
}

const COLUMNS_WIDTH = 816;

/** A list with its search, filters, actions and empty states. Without filters, an empty list needs no toolbar. */
export function ListScreen<T extends RowData, S extends ListState>(props: Props<T, S>) {
  const { placeholder, filters, actions, columnsWidth = COLUMNS_WIDTH, exporting, empty, ...table } = props;
  const { list, query } = table;
  const [frame, isCompact] = useNarrow(columnsWidth);
  const count = query.data?.count ?? 0;
  const isUnused = query.data?.count === 0 && !list.isFiltered;
  const { start, progress } = useExport(exporting, count);
  return (
    <div ref={frame}>
      {isUnused && !filters ? null : (
        <Toolbar
          search={<SearchBox list={list} placeholder={placeholder} />}
          tools={
            exporting && count > 0 ? <ExportButton isBusy={progress !== undefined} onStart={start} /> : null
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
        isCompact={isCompact}
        nothing={empty.nothing}
        noMatch={
          <EmptyState
            icon={empty.icon}
            title={empty.title}
            isInside
            action={
              <Button variant="default" onClick={list.reset}>
                {filters ? 'Clear filters' : 'Clear search'}
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
