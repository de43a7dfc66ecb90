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
  /** on a phone: `title` leads the card, `action` closes it and hides its header from sight, `hidden` stays away; otherwise label and value */
  card?: 'title' | 'action' | 'hidden';
  /** a fixed share of the width, e.g. '9rem' */
  width?: string;
  /** wide screens only: below 1100 px the column gives its room to the others */
  wide?: true;
}

export const features = tableFeatures({
  rowPaginationFeature,
  rowSortingFeature,
  columnMeta: metaHelper<ColumnMeta>(),
});
export type Columns<T extends RowData> = readonly ColumnDef<typeof features, T, unknown>[];

/**
 * Columns are declared at module level: `const column = columnsOf<ApiKey>()`, then
 * `column.columns([column.accessor('name', { header: 'Name' }), …])`. A column whose id is among the list's
 * orderings can be sorted with `enableSorting: true`; its id is then what the server is asked for.
 */
export const columnsOf = <T extends RowData>() => createColumnHelper<typeof features, T>();
