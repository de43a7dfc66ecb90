import { Anchor } from '@mantine/core';
import type { ApiKey } from '@sixdigit/contract/api-keys.ts';
import { IconPencil, IconReplace, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { useMay } from '../accounts/role.ts';
import { nowMs } from '../api/clock.ts';
import { DELETED_PERSON } from '../audit/actor.ts';
import type { Compact } from '../table/CompactRow.tsx';
import { columnsOf } from '../table/columns.ts';
import { Badge } from '../ui/Badge.tsx';
import { relativeTime, shortDateTime } from '../ui/dates.ts';
import { countOf } from '../ui/numbers.ts';
import type { RowChoice } from '../ui/RowMenu.tsx';
import { Time } from '../ui/Time.tsx';
import { TipIcon } from '../ui/TipIcon.tsx';
import { KeyBadges } from './KeyBadges.tsx';
import { scopesText } from './key-values.ts';
import { useMayManage } from './live-keys.ts';
import { isFree, SpentToday, Two } from './SpentToday.tsx';

const column = columnsOf<ApiKey>();

/** Loaded with the first compact row, because menus are heavy. */
const RowMenu = lazy(async () => ({ default: (await import('../ui/RowMenu.tsx')).RowMenu<Action> }));
const choices: readonly RowChoice<Action>[] = [
  { action: 'edit', label: 'Edit API Key', Icon: IconPencil },
  { action: 'rotate', label: 'Rotate API Key', Icon: IconReplace },
  { action: 'delete', label: 'Delete API Key', Icon: IconTrash },
];

export const compactApiKey =
  (onChoose: Choose) =>
  (apiKey: ApiKey): Compact => ({
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
    action: <CompactActions apiKey={apiKey} onChoose={onChoose} />,
  });

export const apiKeyColumns = (onChoose: Choose) =>
  column.columns([
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
          <MadeBy apiKey={original} onRotate={() => onChoose('rotate', original)} />
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
      cell: ({ row: { original } }) => <Actions apiKey={original} onChoose={onChoose} />,
    }),
  ]);

/** The member who made the key. A former member has seen its secret, so the mark offers a rotation. */
function MadeBy({ apiKey: { name, mode, created_by }, onRotate }: { apiKey: ApiKey; onRotate: () => void }) {
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
            onRotate();
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

interface ActionsProps {
  apiKey: ApiKey;
  onChoose: Choose;
}

/** The actions that the user's role allows. */
function useChoices({ mode }: ApiKey): readonly RowChoice<Action>[] {
  const may = useMay();
  const mayManage = useMayManage();
  return choices.filter(({ action }) => (action === 'delete' ? may('deleteApiKey') : mayManage(mode)));
}

function CompactActions({ apiKey, onChoose }: ActionsProps) {
  const allowed = useChoices(apiKey);
  return allowed.length > 0 ? (
    <Suspense fallback={<span className="w-7" />}>
      <RowMenu name={apiKey.name} choices={allowed} onChoose={(action) => onChoose(action, apiKey)} />
    </Suspense>
  ) : null;
}

function Actions({ apiKey, onChoose }: ActionsProps) {
  const allowed = useChoices(apiKey);
  return (
    <span className="inline-flex gap-1">
      {allowed.map(({ action, label, Icon }) => (
        <TipIcon
          key={action}
          label={label.replace('API Key', apiKey.name)}
          onClick={() => onChoose(action, apiKey)}
        >
          <Icon size={18} stroke={1.75} aria-hidden />
        </TipIcon>
      ))}
    </span>
  );
}

/** The dialogs that a row's buttons open. */
export type Action = 'edit' | 'rotate' | 'delete';
export type Choose = (action: Action, key: ApiKey) => void;
