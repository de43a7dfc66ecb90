import type { Connection } from '@sixdigit/contract/connections.ts';
import { IconPencil, IconRotate, IconSend, IconTrash } from '@tabler/icons-react';
import { nowMs } from '../api/clock.ts';
import { expiryOf } from '../api-keys/key-values.ts';
import type { Compact } from '../table/CompactRow.tsx';
import { columnsOf } from '../table/columns.ts';
import { Badge, TestBadge } from '../ui/Badge.tsx';
import { relativeTime } from '../ui/dates.ts';
import { type RowChoice, RowMenu } from '../ui/RowMenu.tsx';
import { Time } from '../ui/Time.tsx';
import { type ChooseConnection, type ConnectionAction, SYSTEM_LABELS } from './connections.ts';

const column = columnsOf<Connection>();

const choices: readonly RowChoice<ConnectionAction>[] = [
  { action: 'test', label: 'Test Connection', Icon: IconSend },
  { action: 'edit', label: 'Edit Connection', Icon: IconPencil },
  { action: 'rotate', label: 'Rotate Secret', Icon: IconRotate },
  { action: 'delete', label: 'Delete Connection', Icon: IconTrash },
];

export const compactConnection =
  (onChoose: ChooseConnection) =>
  (connection: Connection): Compact => ({
    title: connection.name,
    badge: <Badges connection={connection} />,
    details: [
      SYSTEM_LABELS[connection.system],
      connection.last_used_at ? `used ${relativeTime(connection.last_used_at, nowMs())}` : 'never used',
      connection.wrong_signatures > 0 ? wrong(connection) : null,
      connection.last_error,
    ],
    action: <Actions connection={connection} onChoose={onChoose} />,
  });

export const connectionColumns = (onChoose: ChooseConnection) =>
  column.columns([
    column.accessor('name', {
      header: 'Name',
      enableSorting: true,
      cell: ({ row: { original } }) => (
        <>
          <span className="block font-550 wrap-anywhere">{original.name}</span>
          <span className="text-13 text-ink-soft">{SYSTEM_LABELS[original.system]}</span>
        </>
      ),
    }),
    column.accessor('mode', {
      header: 'Mode',
      meta: { width: '7rem' },
      cell: ({ row: { original } }) => (
        <span className="flex flex-wrap gap-1">
          {original.mode === 'live' ? 'Live' : null}
          <Badges connection={original} />
        </span>
      ),
    }),
    column.accessor('last_used_at', {
      header: 'Last Used',
      enableSorting: true,
      meta: { width: '12.25rem' },
      cell: ({ getValue }) => <At at={getValue()} otherwise="Never" />,
    }),
    column.accessor('last_error', {
      header: 'Last Error',
      meta: { width: '12.25rem' },
      cell: ({ row: { original } }) =>
        original.last_error === null ? (
          <span className="text-ink-soft">None</span>
        ) : (
          <>
            <span className="block wrap-anywhere">{original.last_error}</span>
            <span className="text-13 text-ink-soft">
              <At at={original.last_error_at} otherwise="" />
            </span>
          </>
        ),
    }),
    column.accessor('wrong_signatures', {
      header: 'Wrong Signatures',
      meta: { width: '9.5rem', align: 'right' },
      cell: ({ row: { original } }) =>
        original.wrong_signatures === 0 ? (
          <span className="text-ink-soft">0</span>
        ) : (
          <>
            <strong className="block font-600 text-red">
              {original.wrong_signatures.toLocaleString('en-US')}
            </strong>
            <span className="text-13 text-ink-soft">
              {original.wrong_signature_at ? relativeTime(original.wrong_signature_at, nowMs()) : ''}
            </span>
          </>
        ),
    }),
    column.display({
      id: 'actions',
      header: 'Actions',
      meta: { isAction: true, width: '4rem', align: 'right' },
      cell: ({ row: { original } }) => <Actions connection={original} onChoose={onChoose} />,
    }),
  ]);

const wrong = ({ wrong_signatures: count }: Connection): string =>
  `${count.toLocaleString('en-US')} wrong ${count === 1 ? 'signature' : 'signatures'}`;

const At = ({ at, otherwise }: { at: string | null; otherwise: string }) =>
  at ? <Time at={at} /> : <span>{otherwise}</span>;

function Badges({ connection: { mode, expires_at } }: { connection: Connection }) {
  if (expiryOf(expires_at, nowMs()) === 'expired') return <Badge tone="red">Expired</Badge>;
  return mode === 'test' ? <TestBadge /> : null;
}

const Actions = ({ connection, onChoose }: { connection: Connection; onChoose: ChooseConnection }) => (
  <RowMenu name={connection.name} choices={choices} onChoose={(action) => onChoose(action, connection)} />
);
