import { Button, NativeSelect } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { type ReactNode, Suspense } from 'react';
import { DialogActions, SideSheet } from '../ui/Dialog.tsx';
import { countOf } from '../ui/numbers.ts';
import type { Columns } from './columns.ts';
import { Labels } from './labels.ts';
import { sortChoices } from './sort-choices.ts';

interface Props extends Sorting {
  opened: boolean;
  onClose: () => void;
  isFiltered: boolean;
  onClear: () => void;
  /** the matching rows; undefined while they are not counted */
  count: number | undefined;
  onExport: (() => void) | undefined;
  /** the filters, null if the list has none */
  children: ReactNode;
}

/** The filters, the order and the export of a list that shows no columns. Changes apply immediately. */
export function FilterSheet({ opened, onClose, onExport, count, children, ...props }: Props) {
  return (
    <SideSheet
      opened={opened}
      onClose={onClose}
      title={children ? 'Filters' : 'Sort'}
      {...(window.innerWidth < 768 && { side: 'bottom', size: 'auto' })}
    >
      <Labels value>
        <div className="grid grid-cols-1 gap-3.5">
          <Suspense>{children}</Suspense>
          <SortSelect {...props} />
        </div>
      </Labels>
      <DialogActions>
        {onExport ? (
          <Button
            variant="default"
            className="me-auto"
            leftSection={<IconDownload size={18} stroke={1.75} aria-hidden />}
            onClick={() => {
              onExport();
              onClose();
            }}
          >
            Export as CSV
          </Button>
        ) : null}
        {children && props.isFiltered ? (
          <Button variant="default" onClick={props.onClear}>
            Clear Filters
          </Button>
        ) : null}
        <Button onClick={onClose}>{count === undefined ? 'Show Results' : shown(count)}</Button>
      </DialogActions>
    </SideSheet>
  );
}

const shown = (count: number): string => `Show ${countOf(count, 'Result')}`;

interface Sorting {
  // biome-ignore lint/suspicious/noExplicitAny: rows of any list
  columns: Columns<any>;
  ordering: string;
  onSort: (ordering: string) => void;
}

function SortSelect({ columns, ordering, onSort }: Sorting) {
  const choices = sortChoices(columns);
  // The list may be sorted by a field without a column.
  if (!choices.some(({ value }) => value === ordering))
    choices.unshift({ value: ordering, label: ordering === '-created_at' ? 'Newest first' : 'Chosen order' });
  return (
    <NativeSelect
      label="Sort by"
      value={ordering}
      onChange={(event) => onSort(event.currentTarget.value)}
      data={choices}
    />
  );
}
