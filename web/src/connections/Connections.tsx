import { type Connection, listConnections } from '@sixdigit/contract/connection-list.ts';
import { deleteConnection } from '@sixdigit/contract/connections.ts';
import { failures } from '@sixdigit/contract/errors.ts';
import { SYSTEM_LABELS } from '@sixdigit/contract/system-labels.ts';
import {
  IconArrowForwardUp,
  IconListDetails,
  IconPencil,
  IconReplace,
  IconSend,
  IconTrash,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMay } from '../accounts/role.ts';
import { call } from '../api/call.ts';
import { nowMs } from '../api/clock.ts';
import { isFree, KeyBadges, SpentToday } from '../api-keys/KeyCells.tsx';
import { expiryOf } from '../api-keys/key-values.ts';
import { useMayManage } from '../api-keys/live-keys.ts';
import { pages } from '../pages.ts';
import type { Compact } from '../table/CompactRow.tsx';
import { columnsOf } from '../table/columns.ts';
import { useList } from '../table/list.ts';
import { ManagedList, RowButtons } from '../table/ManagedList.tsx';
import { Badge } from '../ui/Badge.tsx';
import { relativeTime } from '../ui/dates.ts';
import { LazyActionDialog, lazyDialog } from '../ui/lazy-dialog.tsx';
import { PageLink } from '../ui/links.tsx';
import { useChosen, useOpened } from '../ui/opened.ts';
import { ReasonText } from '../ui/ReasonText.tsx';
import type { RowChoice } from '../ui/RowMenu.tsx';
import { Time } from '../ui/Time.tsx';
import { connectionPage, connectionSearch } from './connections.ts';

const NewConnection = lazyDialog(async () => (await import('./ConnectionSecret.tsx')).NewConnection);
const RotateConnection = lazyDialog(async () => (await import('./ConnectionSecret.tsx')).RotateConnection);
const EditConnection = lazyDialog(async () => (await import('./ConnectionForm.tsx')).EditConnection);
const TestConnection = lazyDialog(async () => (await import('./TestConnection.tsx')).TestConnection);

type Action = 'test' | 'requests' | 'edit' | 'rotate' | 'delete';
const ACTIONS: readonly RowChoice<Action>[] = [
  { action: 'test', label: 'Test Connection', Icon: IconSend },
  { action: 'requests', label: 'View Requests', Icon: IconListDetails },
  { action: 'edit', label: 'Edit Connection', Icon: IconPencil },
  { action: 'rotate', label: 'Rotate Secret', Icon: IconReplace },
  { action: 'delete', label: 'Delete Connection', Icon: IconTrash },
];

/** Lists, creates, tests, changes, rotates and deletes the connections of the account. */
export function Connections() {
  const list = useList(connectionSearch);
  const query = useQuery(connectionPage(list.search));
  const dialog = useOpened('dialog');
  const navigate = useNavigate();
  const { row, opened, choose, close } = useChosen<Connection, Action>();
  const may = useMay();
  const mayManage = useMayManage();
  const isAllowed = (action: Action, { mode, system }: Connection): boolean => {
    if (action === 'requests') return true;
    if (action === 'delete') return may('deleteConnection');
    // Zitadel makes its keys itself. They are entered under Edit Connection.
    return mayManage(mode) && (action !== 'rotate' || system !== 'zitadel');
  };
  const test = (connection: Connection): void => choose('test', connection);
  return (
    <>
      <ManagedList
        title={pages.connections.title}
        about={
          <>
            Let your auth system deliver its own codes through Sixdigit.{' '}
            <PageLink to="/docs" hash="connections" className="whitespace-nowrap">
              How connections work
            </PageLink>
            {may('updateConnection') && !mayManage('live')
              ? ' Live connections need the role admin in this account.'
              : ''}
          </>
        }
        create={
          may('createConnection') && { label: 'Create Connection', onClick: () => dialog.open('create') }
        }
        actions={{
          nameOf: ({ name }) => name,
          choicesOf: (connection) => ACTIONS.filter(({ action }) => isAllowed(action, connection)),
          onChoose: (action, connection) => {
            const { api_key_id: api_key, mode } = connection;
            if (action === 'requests') void navigate({ to: '/logs', search: { api_key, mode } });
            else choose(action, connection);
          },
        }}
        label="Connections"
        noun="connection(s)"
        usualRows={3}
        times="columns"
        placeholder="Search connections..."
        list={list}
        query={query}
        columns={connectionColumns}
        columnsWidth={900}
        compact={compactConnection}
        rowId={({ id }) => id}
        {...(may('updateConnection') && {
          onOpen: (connection: Connection) => {
            if (mayManage(connection.mode)) choose('edit', connection);
          },
        })}
        failure="Failed to fetch connections"
        empty={{
          icon: <IconArrowForwardUp size={24} />,
          title: 'No connections',
          text: 'Choose Supabase Auth, Keycloak or another system. You get an address and a secret to enter there.',
          noMatch: `No connection matches “${list.search.search}”.`,
        }}
      />
      <NewConnection opened={dialog.opened === 'create'} onClose={dialog.close} onTest={test} />
      <TestConnection opened={opened === 'test'} onClose={close} connection={row} />
      <EditConnection opened={opened === 'edit'} onClose={close} connection={row} />
      <RotateConnection opened={opened === 'rotate'} onClose={close} connection={row} onTest={test} />
      <LazyActionDialog
        opened={opened === 'delete'}
        onClose={close}
        title="Delete Connection"
        confirm="Delete Connection"
        isDangerous
        of={row}
        run={({ id }) => call(deleteConnection, { params: { id } })}
        success="Connection deleted"
        failure="Failed to delete the connection"
        refresh={[listConnections]}
      >
        <p className="m-0 wrap-anywhere">
          Are you sure you want to delete the connection "{row?.name}"? Its address stops working within a
          second, and the system can no longer send codes through it. This cannot be undone.
        </p>
      </LazyActionDialog>
    </>
  );
}

const compactConnection = (connection: Connection): Compact => ({
  title: connection.name,
  badge: <Urgent connection={connection} />,
  details: [
    SYSTEM_LABELS[connection.system],
    connection.wrong_signatures > 0 ? rejected(connection) : null,
    connection.last_error ? <LastError key="error" reason={connection.last_error} /> : null,
    connection.last_used_at ? `used ${relativeTime(connection.last_used_at, nowMs())}` : 'never used',
  ],
  more: [isFree(connection) ? null : <SpentToday key="spent" of={spender(connection)} isShort />],
  action: <RowButtons of={connection} />,
});

const column = columnsOf<Connection>();
export const connectionColumns = column.columns([
  column.accessor('name', {
    header: 'Name',
    meta: { isSortable: true },
    cell: ({ row: { original } }) => (
      <>
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-550 wrap-anywhere">{original.name}</span>
          <KeyBadges of={original} isRotated={original.previous_secret_until !== null} />
        </span>
        <span className="block text-13 text-ink-soft">{SYSTEM_LABELS[original.system]}</span>
      </>
    ),
  }),
  column.display({
    id: 'spent_today',
    header: 'Spent Today',
    meta: { width: '7.5rem' },
    cell: ({ row: { original } }) => <SpentToday of={spender(original)} />,
  }),
  column.accessor('last_used_at', {
    header: 'Last Used',
    meta: { isSortable: true, width: '12.25rem' },
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
          <span className="block">
            <LastError reason={original.last_error} />
          </span>
          <span className="text-13 text-ink-soft">
            <At at={original.last_error_at} otherwise="" />
          </span>
        </>
      ),
  }),
  column.accessor('wrong_signatures', {
    header: 'Rejected Calls',
    meta: { width: '8rem', align: 'right' },
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
    cell: ({ row: { original } }) => <RowButtons of={original} />,
  }),
]);

/** Its sentence appears as a tooltip. */
const LastError = ({ reason }: { reason: string }) => (
  <span className="text-orange" data-tip={sentences[reason]?.error}>
    <ReasonText reason={reason} />
  </span>
);

const sentences: Partial<Record<string, { error: string }>> = failures;

/** Requests without a valid secret or signature. */
const rejected = ({ wrong_signatures: count }: Connection): string =>
  `${count.toLocaleString('en-US')} rejected`;

const spender = ({ api_key_id: id, ...connection }: Connection) => ({ ...connection, id });

const At = ({ at, otherwise }: { at: string | null; otherwise: string }) =>
  at ? <Time at={at} /> : <span>{otherwise}</span>;

/** The most urgent badge, for compact rows. */
function Urgent({ connection }: { connection: Connection }) {
  const { expires_at, spent_today, daily_credit_limit } = connection;
  if (
    expiryOf(expires_at, nowMs()) !== 'expired' &&
    daily_credit_limit !== null &&
    (spent_today ?? 0) >= daily_credit_limit
  )
    return <Badge tone="red">Limit reached</Badge>;
  return <KeyBadges of={connection} isRotated={false} isShort />;
}
