import type { Connection } from '@sixdigit/contract/connection-list.ts';
import { failures } from '@sixdigit/contract/errors.ts';
import { SYSTEM_LABELS } from '@sixdigit/contract/system-labels.ts';
import { IconListDetails, IconPencil, IconReplace, IconSend, IconTrash } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useMay } from '../accounts/role.ts';
import { nowMs } from '../api/clock.ts';
import { KeyBadges } from '../api-keys/KeyBadges.tsx';
import { expiryOf } from '../api-keys/key-values.ts';
import { useMayManage } from '../api-keys/live-keys.ts';
import { isFree, SpentToday } from '../api-keys/SpentToday.tsx';
import type { Compact } from '../table/CompactRow.tsx';
import { columnsOf } from '../table/columns.ts';
import { Badge } from '../ui/Badge.tsx';
import { relativeTime } from '../ui/dates.ts';
import { ReasonText } from '../ui/ReasonText.tsx';
import type { RowChoice } from '../ui/RowMenu.tsx';
import { Time } from '../ui/Time.tsx';
import type { ChooseConnection, ConnectionAction } from './connections.ts';

const column = columnsOf<Connection>();

/** Loaded with the first row, because menus are heavy. */
const RowMenu = lazy(async () => ({
  default: (await import('../ui/RowMenu.tsx')).RowMenu<ConnectionAction>,
}));

const choices: readonly RowChoice<ConnectionAction>[] = [
  { action: 'test', label: 'Test Connection', Icon: IconSend },
  { action: 'requests', label: 'View Requests', Icon: IconListDetails },
  { action: 'edit', label: 'Edit Connection', Icon: IconPencil },
  { action: 'rotate', label: 'Rotate Secret', Icon: IconReplace },
  { action: 'delete', label: 'Delete Connection', Icon: IconTrash },
];

export const compactConnection =
  (onChoose: ChooseConnection) =>
  (connection: Connection): Compact => ({
    title: connection.name,
    badge: <Urgent connection={connection} />,
    details: [
      SYSTEM_LABELS[connection.system],
      connection.wrong_signatures > 0 ? rejected(connection) : null,
      connection.last_error ? <LastError key="error" reason={connection.last_error} /> : null,
      connection.last_used_at ? `used ${relativeTime(connection.last_used_at, nowMs())}` : 'never used',
    ],
    more: [isFree(connection) ? null : <SpentToday key="spent" of={spender(connection)} isShort />],
    action: <Actions connection={connection} onChoose={onChoose} />,
  });

export const connectionColumns = (onChoose: ChooseConnection) =>
  column.columns([
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
      cell: ({ row: { original } }) => <Actions connection={original} onChoose={onChoose} />,
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

function Actions({ connection, onChoose }: { connection: Connection; onChoose: ChooseConnection }) {
  const may = useMay();
  const mayManage = useMayManage();
  const allowed = choices.filter(({ action }) => {
    if (action === 'requests') return true;
    if (action === 'delete') return may('deleteConnection');
    // Zitadel makes its keys itself. They are entered under Edit Connection.
    return mayManage(connection.mode) && (action !== 'rotate' || connection.system !== 'zitadel');
  });
  return (
    <Suspense fallback={<span className="inline-block size-7" />}>
      <RowMenu name={connection.name} choices={allowed} onChoose={(action) => onChoose(action, connection)} />
    </Suspense>
  );
}
