import { ActionIcon } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { ApiKey } from '#contract/api-keys.ts';
import { columnsOf } from '../table/columns.ts';
import { shortDateTime } from '../ui/dates.ts';
import classes from './ApiKeys.module.css';

const column = columnsOf<ApiKey>();

export const apiKeyColumns = (onDelete: (key: ApiKey) => void) =>
  column.columns([
    column.accessor('name', {
      header: 'Name',
      enableSorting: true,
      meta: { card: 'title' },
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
      cell: ({ getValue }) => <time dateTime={getValue()}>{shortDateTime(getValue())}</time>,
    }),
    column.accessor('last_used_at', {
      header: 'Last Used',
      enableSorting: true,
      meta: { width: '13rem' },
      cell: ({ getValue }) => shortDateTime(getValue(), 'Never'),
    }),
    column.display({
      id: 'delete',
      header: 'Actions',
      meta: { card: 'action', width: '4rem', align: 'right' },
      cell: ({ row: { original } }) => (
        <ActionIcon color="red" aria-label={`Delete ${original.name}`} onClick={() => onDelete(original)}>
          <IconTrash size={18} stroke={1.75} aria-hidden />
        </ActionIcon>
      ),
    }),
  ]);
