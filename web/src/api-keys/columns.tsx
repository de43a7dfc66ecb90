import { IconTrash } from '@tabler/icons-react';
import type { ApiKey } from '#contract/api-keys.ts';
import type { Compact } from '../table/CompactRow.tsx';
import { columnsOf } from '../table/columns.ts';
import { shortDateTime } from '../ui/dates.ts';
import { Time } from '../ui/Time.tsx';
import { TipIcon } from '../ui/TipIcon.tsx';
import classes from './ApiKeys.module.css';

const column = columnsOf<ApiKey>();
type OnDelete = (key: ApiKey) => void;

export const compactApiKey =
  (onDelete: OnDelete) =>
  (apiKey: ApiKey): Compact => ({
    title: apiKey.name,
    details: [
      <code key="prefix">{apiKey.prefix}…</code>,
      `Created ${shortDateTime(apiKey.created_at)}`,
      `Last used ${shortDateTime(apiKey.last_used_at, 'Never')}`,
    ],
    action: <DeleteButton apiKey={apiKey} onDelete={onDelete} />,
  });

export const apiKeyColumns = (onDelete: OnDelete) =>
  column.columns([
    column.accessor('name', {
      header: 'Name',
      enableSorting: true,
      cell: ({ row: { original } }) => (
        <>
          <span className={classes.name}>{original.name}</span>
          <code className={classes.prefix}>{original.prefix}…</code>
        </>
      ),
    }),
    column.accessor('created_at', {
      header: 'Created',
      enableSorting: true,
      meta: { width: '13rem' },
      cell: ({ getValue }) => <Time at={getValue()} />,
    }),
    column.accessor('last_used_at', {
      header: 'Last Used',
      enableSorting: true,
      meta: { width: '13rem' },
      cell: ({ getValue }) => {
        const at = getValue();
        return at ? <Time at={at} /> : 'Never';
      },
    }),
    column.display({
      id: 'delete',
      header: 'Actions',
      meta: { isAction: true, width: '4rem', align: 'right' },
      cell: ({ row: { original } }) => <DeleteButton apiKey={original} onDelete={onDelete} />,
    }),
  ]);

const DeleteButton = ({ apiKey, onDelete }: { apiKey: ApiKey; onDelete: OnDelete }) => (
  <TipIcon color="red" label={`Delete ${apiKey.name}`} onClick={() => onDelete(apiKey)}>
    <IconTrash size={18} stroke={1.75} aria-hidden />
  </TipIcon>
);
