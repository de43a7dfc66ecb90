import { VisuallyHidden } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import type { ReactTable, RowData } from '@tanstack/react-table';
import type { features } from './columns.ts';
import classes from './table.module.css';

interface Props<T extends RowData> {
  table: ReactTable<typeof features, T>;
  /** heads the only column where rows are compact */
  label: string | undefined;
  ordering: string;
  onSort: (ordering: string) => void;
}

/** The names of the columns. Those that the server can sort by are buttons. */
export function TableHead<T extends RowData>({ table, label, ordering, onSort }: Props<T>) {
  if (label) {
    return (
      <thead className="sr-only">
        <tr>
          <th scope="col">{label}</th>
        </tr>
      </thead>
    );
  }
  const sort = (id: string): void => {
    const descends = ordering === id ? true : ordering === `-${id}` ? false : id.endsWith('_at');
    onSort(descends ? `-${id}` : id);
  };
  return (
    <thead className={classes.head}>
      {table.getHeaderGroups().map((group) => (
        <tr key={group.id}>
          {group.headers.map((header) => {
            const { id } = header.column;
            const { meta } = header.column.columnDef;
            const order =
              ordering === id
                ? ('ascending' as const)
                : ordering === `-${id}`
                  ? ('descending' as const)
                  : undefined;
            const name = <table.FlexRender header={header} />;
            return (
              <th
                key={header.id}
                scope="col"
                className={`border-b border-line bg-sunken text-13 font-550 whitespace-nowrap text-ink-soft ${meta?.align === 'right' ? 'text-end' : 'text-start'}`}
                style={meta?.width ? { width: meta.width } : undefined}
                aria-sort={meta?.isSortable ? order : undefined}
              >
                {meta?.isSortable ? (
                  <button
                    type="button"
                    className={`${classes.sort} inline-flex cursor-pointer items-center gap-[0.3rem] rounded-6 border-0 bg-transparent text-inherit ${meta?.align === 'right' ? 'flex-row-reverse' : ''}`}
                    onClick={() => sort(id)}
                  >
                    {name}
                    <SortIcon order={order} />
                  </button>
                ) : meta?.isAction ? (
                  <VisuallyHidden>{name}</VisuallyHidden>
                ) : (
                  name
                )}
              </th>
            );
          })}
        </tr>
      ))}
    </thead>
  );
}

const SortIcon = ({ order }: { order: 'ascending' | 'descending' | undefined }) => {
  if (order === 'ascending') return <IconArrowUp size={14} aria-hidden />;
  if (order === 'descending') return <IconArrowDown size={14} aria-hidden />;
  return <IconArrowsSort size={14} className={classes.unsorted} aria-hidden />;
};
