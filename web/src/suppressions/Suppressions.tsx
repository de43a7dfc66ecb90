import { Alert } from '@mantine/core';
import type { Reply } from '@sixdigit/contract/route.ts';
import { deleteSuppression, listSuppressions, type Suppression } from '@sixdigit/contract/suppressions.ts';
import { IconMailOff, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../accounts/role.ts';
import { call } from '../api/call.ts';
import { otherPages } from '../pages.ts';
import type { Compact } from '../table/CompactRow.tsx';
import { columnsOf } from '../table/columns.ts';
import { FilterSelect } from '../table/FilterSelect.tsx';
import { useList } from '../table/list.ts';
import { ManagedList, RowButtons } from '../table/ManagedList.tsx';
import { rowDateTime } from '../ui/dates.ts';
import { LazyActionDialog, lazyDialog } from '../ui/lazy-dialog.tsx';
import { LoneLink } from '../ui/links.tsx';
import { useChosen, useOpened } from '../ui/opened.ts';
import type { RowChoice } from '../ui/RowMenu.tsx';
import { Time } from '../ui/Time.tsx';
import {
  REASONS,
  reasonChoices,
  suppressionExport,
  suppressionPage,
  suppressionSearch,
} from './suppressions.ts';

const SuppressionForm = lazyDialog(async () => (await import('./SuppressionForm.tsx')).SuppressionForm);

const ACTIONS: readonly RowChoice<'remove'>[] = [
  { action: 'remove', label: 'Remove Address', Icon: IconTrash },
];

type Left = NonNullable<Reply<typeof deleteSuppression>['provider']> & { of: string | undefined };

/** The addresses to which the account sends no mail. */
export function Suppressions() {
  const list = useList(suppressionSearch);
  const query = useQuery(suppressionPage(list.search));
  const dialog = useOpened('dialog');
  const { row, opened, choose, close } = useChosen<Suppression, 'remove'>();
  const may = useMay();
  const [left, setLeft] = useState<Left>();
  return (
    <>
      <ManagedList
        title={otherPages.suppressions.title}
        about="Codes are not sent to these email addresses, because earlier codes came back or were unwanted."
        create={may('createSuppression') && { label: 'Add Address', onClick: () => dialog.open('create') }}
        actions={{
          nameOf: ({ recipient }) => recipient,
          choicesOf: () => (may('deleteSuppression') ? ACTIONS : []),
          onChoose: choose,
        }}
        label="Suppressed addresses"
        noun="addresses"
        placeholder="Search whole addresses..."
        filters={<FilterSelect list={list} name="reason" label="Reason" options={reasonChoices} />}
        above={
          left ? (
            <Alert
              color="orange"
              title={`${left.carrier} may still suppress ${left.of}`}
              className="mb-4 wrap-anywhere"
              withCloseButton
              closeButtonLabel="Close"
              onClose={() => setLeft(undefined)}
            >
              {left.detail} The address was removed here. Ask the operator of this service to remove it at{' '}
              {left.carrier} too; otherwise, the next code comes back.
            </Alert>
          ) : null
        }
        list={list}
        query={query}
        exporting={suppressionExport(list.search)}
        columns={suppressionColumns}
        compact={compactSuppression}
        rowId={({ id }) => id}
        failure="Failed to load the suppressed addresses"
        empty={{
          icon: <IconMailOff size={24} />,
          title: 'No suppressed addresses',
          text: 'Addresses whose mail comes back or is reported as spam appear here.',
          noMatch: 'No address matches. A search finds a whole address, or a part that the mask shows.',
        }}
      />
      <SuppressionForm opened={dialog.opened === 'create'} onClose={dialog.close} />
      <LazyActionDialog
        opened={opened === 'remove'}
        onClose={close}
        title="Remove Address"
        confirm="Remove Address"
        of={row}
        run={({ id }) => call(deleteSuppression, { params: { id } })}
        success="Address removed"
        failure="Failed to remove the address"
        refresh={[listSuppressions]}
        done={({ provider }) => {
          setLeft(
            provider && provider.outcome !== 'removed' ? { ...provider, of: row?.recipient } : undefined,
          );
          close();
        }}
      >
        <p className="m-0 wrap-anywhere">
          Send codes to {row?.recipient} again? A mail provider that suppresses the address too is asked to
          remove it.
        </p>
      </LazyActionDialog>
    </>
  );
}

const compactSuppression = (one: Suppression): Compact => ({
  title: one.recipient,
  details: [REASONS[one.reason], rowDateTime(one.created_at)],
  more: [one.detail, one.carrier],
  action: <RowButtons of={one} />,
});

const column = columnsOf<Suppression>();
export const suppressionColumns = column.columns([
  column.accessor('recipient', {
    header: 'Address',
    cell: ({ getValue }) => <span className="font-550 wrap-anywhere">{getValue()}</span>,
  }),
  column.accessor('reason', {
    header: 'Reason',
    cell: ({ row: { original } }) => (
      <>
        <span className="block">{REASONS[original.reason]}</span>
        <span className="block text-13 wrap-anywhere text-ink-soft">{original.detail}</span>
      </>
    ),
  }),
  column.display({
    id: 'source',
    header: 'Source',
    meta: { width: '9rem' },
    cell: ({ row: { original } }) =>
      original.otp_id ? (
        <LoneLink
          to="/"
          search={{ otp: original.otp_id }}
          aria-label={`View message to ${original.recipient}`}
        >
          {original.carrier}
        </LoneLink>
      ) : (
        'Account'
      ),
  }),
  column.accessor('created_at', {
    header: 'Since',
    meta: { isSortable: true, width: '12.25rem' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
  column.display({
    id: 'actions',
    header: 'Actions',
    meta: { isAction: true, width: '4rem', align: 'right' },
    cell: ({ row: { original } }) => <RowButtons of={original} />,
  }),
]);
