import { Button } from '@mantine/core';
import type { OperatorKey } from '@sixdigit/contract/operator/operator.ts';
import { nowMs } from '../../api/clock.ts';
import type { Compact } from '../../table/CompactRow.tsx';
import { columnsOf } from '../../table/columns.ts';
import { Badge } from '../../ui/Badge.tsx';
import { rowDateTime, shortDateTime } from '../../ui/dates.ts';
import { CellText, Line } from '../Rows.tsx';

type OnDelete = (key: OperatorKey) => void;
const column = columnsOf<OperatorKey>();

const isExpired = ({ expires_at }: OperatorKey): boolean => Date.parse(expires_at) <= nowMs();

const DeleteButton = ({ apiKey, onDelete }: { apiKey: OperatorKey; onDelete: OnDelete }) => (
  <Button
    variant="default"
    size="compact-sm"
    aria-label={`Delete ${apiKey.name}`}
    onClick={() => onDelete(apiKey)}
  >
    Delete
  </Button>
);

export const compactKey =
  (onDelete: OnDelete) =>
  (key: OperatorKey): Compact => ({
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
    action: <DeleteButton apiKey={key} onDelete={onDelete} />,
  });

export const keyColumns = (onDelete: OnDelete) =>
  column.columns([
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
      cell: ({ row: { original } }) => <DeleteButton apiKey={original} onDelete={onDelete} />,
    }),
  ]);
