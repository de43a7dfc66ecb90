import {
  type ColumnDef,
  createColumnHelper,
  metaHelper,
  type RowData,
  rowPaginationFeature,
  rowSortingFeature,
  tableFeatures,
} from '@tanstack/react-table';

interface ColumnMeta {
  align?: 'right';
  /** its header is for screen readers only */
  isAction?: true;
  /** hidden until it is chosen */
  isOptional?: true;
  /** fixed width, for example '9rem' */
  width?: string;
}

export const features = tableFeatures({
  rowPaginationFeature,
  rowSortingFeature,
  columnMeta: metaHelper<ColumnMeta>(),
});
// biome-ignore lint/suspicious/noExplicitAny: each column has a value of its own type
export type Columns<T extends RowData> = readonly ColumnDef<typeof features, T, any>[];

/**
 * Columns are declared at module level: `const column = columnsOf<ApiKey>()`, then
 * `column.columns([column.accessor('name', { header: 'Name' }), …])`. `enableSorting: true` makes a column
 * sortable if its id is one of the list's orderings.
 */
export const columnsOf = <T extends RowData>() => createColumnHelper<typeof features, T>();
