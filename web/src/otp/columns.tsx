import { Button } from '@mantine/core';
import type { Verification } from '#contract/otp.ts';
import { columnsOf } from '../table/columns.ts';
import { CostBadge } from '../ui/Badge.tsx';
import { shortDateTime } from '../ui/dates.ts';
import { StatusBadge } from '../ui/StatusBadge.tsx';
import { Method } from './Method.tsx';
import { Recipient } from './Recipient.tsx';

const column = columnsOf<Verification>();

export const verificationColumns = (onOpen: (id: string) => void) =>
  column.columns([
    column.accessor('created_at', {
      header: 'Created',
      enableSorting: true,
      meta: { width: '13rem' },
      cell: ({ getValue }) => <time dateTime={getValue()}>{shortDateTime(getValue())}</time>,
    }),
    column.accessor('recipient', {
      header: 'Recipient',
      meta: { card: 'title' },
      cell: ({ row: { original } }) => (
        <Recipient recipient={original.recipient} keyName={original.api_key.name} />
      ),
    }),
    column.accessor('channel', {
      header: 'Method',
      meta: { width: '7rem' },
      cell: ({ row: { original } }) => <Method channel={original.channel} segments={original.segments} />,
    }),
    column.accessor('status', {
      header: 'Status',
      meta: { width: '8.5rem' },
      cell: ({ getValue }) => <StatusBadge status={getValue()} />,
    }),
    column.accessor('cost_credits', {
      header: 'Credits',
      meta: { width: '6rem', align: 'right' },
      cell: ({ getValue }) => <CostBadge credits={getValue()} />,
    }),
    column.display({
      id: 'history',
      header: 'History',
      meta: { card: 'action', width: '9.5rem', align: 'right' },
      cell: ({ row: { original } }) => (
        <Button size="compact-sm" variant="default" onClick={() => onOpen(original.id)}>
          View History
        </Button>
      ),
    }),
  ]);
