import { Anchor } from '@mantine/core';
import { type ApiKey, deleteApiKey, listApiKeys } from '@sixdigit/contract/api-keys.ts';
import { IconKey, IconPencil, IconReplace, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { currentUser } from '../accounts/current-user.ts';
import { useMay } from '../accounts/role.ts';
import { call } from '../api/call.ts';
import { nowMs } from '../api/clock.ts';
import { DELETED_PERSON } from '../audit/actor.ts';
import { pages } from '../pages.ts';
import type { Compact } from '../table/CompactRow.tsx';
import { columnsOf } from '../table/columns.ts';
import { useList } from '../table/list.ts';
import { ManagedList, RowButtons, useRowActions } from '../table/ManagedList.tsx';
import { Badge } from '../ui/Badge.tsx';
import { relativeTime, shortDateTime } from '../ui/dates.ts';
import { LazyActionDialog, lazyDialog } from '../ui/lazy-dialog.tsx';
import { countOf } from '../ui/numbers.ts';
import { useChosen, useOpened } from '../ui/opened.ts';
import type { RowChoice } from '../ui/RowMenu.tsx';
import { Time } from '../ui/Time.tsx';
import { apiKeyPage, apiKeySearch } from './api-keys.ts';
import { isFree, KeyBadges, SpentToday, Two } from './KeyCells.tsx';
import { scopesText } from './key-values.ts';
import { useMayManage } from './live-keys.ts';

const NewApiKey = lazyDialog(async () => (await import('./ApiKeySecret.tsx')).NewApiKey);
const RotateApiKey = lazyDialog(async () => (await import('./ApiKeySecret.tsx')).RotateApiKey);
const EditApiKey = lazyDialog(async () => (await import('./ApiKeyForm.tsx')).EditApiKey);

type Action = 'edit' | 'rotate' | 'delete';
const ACTIONS: readonly RowChoice<Action>[] = [
  { action: 'edit', label: 'Edit API Key', Icon: IconPencil },
  { action: 'rotate', label: 'Rotate API Key', Icon: IconReplace },
  { action: 'delete', label: 'Delete API Key', Icon: IconTrash },
];

/** Lists, creates, changes, rotates and deletes the account's API keys. */
export function ApiKeys() {
  const list = useList(apiKeySearch);
  const query = useQuery(apiKeyPage(list.search));
  const dialog = useOpened('dialog');
  const { row, opened, choose, close } = useChosen<ApiKey, Action>();
  const may = useMay();
  const mayManage = useMayManage();
  return (
    <>
      <ManagedList
        title={pages.apiKeys.title}
        about={
          <>
            A key lets a program send and verify codes. Give each program its own.
            {may('updateApiKey') && !mayManage('live')
              ? ' Live keys need the role admin in this account.'
              : ''}
          </>
        }
        create={may('createApiKey') && { label: 'Create API Key', onClick: () => dialog.open('create') }}
        actions={{
          nameOf: ({ name }) => name,
          choicesOf: ({ mode }) =>
            ACTIONS.filter(({ action }) => (action === 'delete' ? may('deleteApiKey') : mayManage(mode))),
          onChoose: choose,
        }}
        label="API keys"
        noun="API key(s)"
        usualRows={3}
        times="columns"
        placeholder="Search API keys..."
        list={list}
        query={query}
        columns={apiKeyColumns}
        columnsWidth={940}
        compact={compactApiKey}
        rowId={({ id }) => id}
        {...(may('updateApiKey') && {
          onOpen: (key: ApiKey) => {
            if (mayManage(key.mode)) choose('edit', key);
          },
        })}
        failure="Failed to fetch API keys"
        empty={{
          icon: <IconKey size={24} />,
          title: 'No API keys',
          text: 'Create your first key, then send yourself a code with the command that comes with it.',
          noMatch: `No API key matches “${list.search.search}”.`,
        }}
      />
      <NewApiKey opened={dialog.opened === 'create'} onClose={dialog.close} />
      <EditApiKey opened={opened === 'edit'} onClose={close} apiKey={row} />
      <RotateApiKey opened={opened === 'rotate'} onClose={close} apiKey={row} />
      <LazyActionDialog
        opened={opened === 'delete'}
        onClose={close}
        title="Delete API Key"
        confirm="Delete API Key"
        isDangerous
        of={row}
        run={({ id }) => call(deleteApiKey, { params: { id } })}
        success="API key deleted successfully"
        failure="Failed to delete API key"
        refresh={[listApiKeys]}
      >
        <p className="m-0 wrap-anywhere">
          Are you sure you want to delete the API key "{row?.name}"? This action cannot be undone and will
          immediately revoke access for this key.
        </p>
      </LazyActionDialog>
    </>
  );
}

const compactApiKey = (apiKey: ApiKey): Compact => ({
  title: apiKey.name,
  badge: <KeyBadges of={apiKey} isRotated={apiKey.retired !== null} isShort />,
  details: [
    apiKey.last_used_at ? `used ${relativeTime(apiKey.last_used_at, nowMs())}` : 'never used',
    isFree(apiKey) ? null : <SpentToday key="spent" of={apiKey} isShort />,
    apiKey.allowed_networks.length === 0 ? null : networksText(apiKey.allowed_networks),
    ...(apiKey.created_by && !apiKey.created_by.is_member
      ? [`made by ${apiKey.created_by.email ?? DELETED_PERSON}, a former member`]
      : []),
  ],
  more: [<code key="prefix">{apiKey.prefix}…</code>],
  action: <RowButtons of={apiKey} />,
});

const column = columnsOf<ApiKey>();
export const apiKeyColumns = column.columns([
  column.accessor('name', {
    header: 'Name',
    meta: { isSortable: true },
    cell: ({ row: { original } }) => (
      <>
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-550 wrap-anywhere" title={original.note === '' ? undefined : original.note}>
            {original.name}
          </span>
          <KeyBadges of={original} isRotated={original.retired !== null} />
        </span>
        <code className="block font-mono text-[0.78125rem] font-400 text-ink-soft">{original.prefix}…</code>
        <MadeBy apiKey={original} />
      </>
    ),
  }),
  column.display({
    id: 'access',
    header: 'Access',
    meta: { width: '10.25rem' },
    cell: ({ row: { original } }) => (
      <Two
        first={scopesText(original.scopes)}
        second={networksText(original.allowed_networks)}
        tip={original.allowed_networks.join(', ')}
      />
    ),
  }),
  column.display({
    id: 'spent_today',
    header: 'Spent Today',
    meta: { width: '7.5rem' },
    cell: ({ row: { original } }) => <SpentToday of={original} />,
  }),
  column.accessor('created_at', {
    header: 'Created',
    meta: { isSortable: true, width: '12.25rem' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
  column.accessor('last_used_at', {
    header: 'Last Used',
    meta: { isSortable: true, width: '12.25rem' },
    cell: ({ row: { original } }) => (
      <>
        <LastUse at={original.last_used_at} />
        {original.retired ? (
          <span
            className="block text-13 text-ink-soft"
            data-tip={`The secret ${original.retired.prefix}… is valid until ${shortDateTime(original.retired.valid_until)}`}
          >
            Old secret: <LastUse at={original.retired.last_used_at} />
          </span>
        ) : null}
      </>
    ),
  }),
  column.display({
    id: 'delete',
    header: 'Actions',
    meta: { isAction: true, width: '8rem', align: 'right' },
    cell: ({ row: { original } }) => <RowButtons of={original} as="icons" />,
  }),
]);

/** The member who made the key. A former member has seen its secret, so the mark offers a rotation. */
function MadeBy({ apiKey }: { apiKey: ApiKey }) {
  const { name, mode, created_by } = apiKey;
  const actions = useRowActions<ApiKey, Action>();
  const { data: user } = useQuery(currentUser);
  const mayManage = useMayManage();
  if (!created_by || created_by.id === user?.id) return null;
  return (
    <span className="mt-0.5 flex flex-wrap items-center gap-x-2 gap-y-1 text-13 font-400 wrap-anywhere text-ink-soft">
      Made by {created_by.email ?? DELETED_PERSON}
      {created_by.is_member ? null : <Badge tone="orange">Former member</Badge>}
      {created_by.is_member || !mayManage(mode) ? null : (
        <Anchor
          component="button"
          type="button"
          inherit
          aria-label={`Rotate ${name}, made by a former member`}
          onClick={(event) => {
            event.stopPropagation();
            actions?.onChoose('rotate', apiKey);
          }}
        >
          Rotate
        </Anchor>
      )}
    </span>
  );
}

const LastUse = ({ at }: { at: string | null }) => (at ? <Time at={at} /> : <span>Never</span>);

const networksText = ({ length }: readonly string[]): string =>
  length === 0 ? 'Every network' : countOf(length, 'network');
