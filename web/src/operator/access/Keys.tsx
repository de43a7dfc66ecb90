import {
  deleteOperatorKey,
  listOperatorKeys,
  type OperatorKey,
} from '@sixdigit/contract/operator/operator.ts';
import { IconKey, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { nowMs } from '../../api/clock.ts';
import type { Compact } from '../../table/CompactRow.tsx';
import { columnsOf } from '../../table/columns.ts';
import { useList } from '../../table/list.ts';
import { ManagedList, RowButtons } from '../../table/ManagedList.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { rowDateTime, shortDateTime } from '../../ui/dates.ts';
import { LazyActionDialog } from '../../ui/lazy-dialog.tsx';
import { NotFound } from '../../ui/NotFound.tsx';
import { useChosen, useOpened } from '../../ui/opened.ts';
import { keyPage, useIsAdmin } from '../operator.ts';
import { operatorPages } from '../operator-pages.ts';
import { CellText, Line } from '../Rows.tsx';
import { keySearch } from '../searches.ts';
import { NewKey } from './KeyForm.tsx';

const DELETE = [{ action: 'delete', label: 'Delete', Icon: IconTrash }] as const;

/** Keys for programs that make operator calls. Only admins see them. */
export const Keys = () => (useIsAdmin() ? <KeyList /> : <NotFound />);

function KeyList() {
  const list = useList(keySearch);
  const query = useQuery(keyPage(list.search));
  const dialog = useOpened('dialog');
  const { row, opened, choose, close } = useChosen<OperatorKey, 'delete'>();
  return (
    <>
      <ManagedList
        title={operatorPages.keys.title}
        about="Keys for programs that call the operator API. A key stops working when it expires or its creator is no longer an admin."
        create={{ label: 'Create Operator Key', onClick: () => dialog.open('create') }}
        actions={{ nameOf: ({ name }) => name, choicesOf: () => DELETE, onChoose: choose }}
        label="Operator keys"
        noun="key(s)"
        placeholder="Search operator keys..."
        list={list}
        query={query}
        columns={keyColumns}
        compact={compactKey}
        rowId={({ id }) => id}
        usualRows={3}
        failure="Failed to load the operator keys"
        empty={{
          icon: <IconKey size={24} />,
          title: 'No operator keys',
          text: 'Create one for each program, with the scopes that it needs.',
          noMatch: 'No key matches the search.',
        }}
      />
      <NewKey opened={dialog.opened === 'create'} onClose={dialog.close} />
      <LazyActionDialog
        opened={opened === 'delete'}
        onClose={close}
        title="Delete Operator Key"
        confirm="Delete"
        isDangerous
        of={row}
        run={({ id }) => call(deleteOperatorKey, { params: { id } })}
        success="Operator key deleted"
        failure="Failed to delete the operator key"
        refresh={[listOperatorKeys]}
      >
        The key “{row?.name}” stops working immediately. This cannot be undone.
      </LazyActionDialog>
    </>
  );
}

const isExpired = ({ expires_at }: OperatorKey): boolean => Date.parse(expires_at) <= nowMs();

const compactKey = (key: OperatorKey): Compact => ({
  title: (
    <>
      {key.name}
      <Line>{key.scopes.join(', ')}</Line>
      <Line>
        <code>{key.prefix}…</code>
      </Line>
      <Line>{key.last_used_at ? `Last used ${rowDateTime(key.last_used_at)}` : 'Never used'}</Line>
    </>
  ),
  isLong: true,
  badge: isExpired(key) ? <Badge tone="gray">Expired</Badge> : null,
  details: [isExpired(key) ? null : `Expires ${rowDateTime(key.expires_at)}`, key.created_by],
  action: <RowButtons of={key} as="buttons" />,
});

const column = columnsOf<OperatorKey>();
const keyColumns = column.columns([
  column.accessor('name', {
    header: 'Name',
    meta: { isSortable: true, width: '10.25rem' },
    cell: ({ row: { original } }) => (
      <CellText>
        {original.name}
        <small>
          <code>{original.prefix}…</code>
        </small>
      </CellText>
    ),
  }),
  column.accessor('scopes', {
    header: 'Scopes',
    cell: ({ getValue }) => <span className="block whitespace-normal">{getValue().join(', ')}</span>,
  }),
  column.accessor('created_by', { header: 'Created by', meta: { width: '10rem' } }),
  column.accessor('last_used_at', {
    header: 'Last used',
    meta: { width: '11.25rem' },
    cell: ({ getValue }) => shortDateTime(getValue(), 'Never'),
  }),
  column.accessor('expires_at', {
    header: 'Expires',
    meta: { isSortable: true, width: '11.25rem' },
    cell: ({ row: { original } }) =>
      isExpired(original) ? <Badge tone="gray">Expired</Badge> : shortDateTime(original.expires_at),
  }),
  column.display({
    id: 'delete',
    header: 'Actions',
    meta: { isAction: true, align: 'right', width: '5.5rem' },
    cell: ({ row: { original } }) => <RowButtons of={original} as="buttons" />,
  }),
]);
