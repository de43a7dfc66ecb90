import { IconShieldCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { type OperatorVerification, revealVerification } from '#contract/operator-accounts.ts';
import { call } from '../api/call.ts';
import { labelOf } from '../otp/channel.ts';
import type { Compact } from '../table/CompactRow.tsx';
import { columnsOf } from '../table/columns.ts';
import { ListScreen } from '../table/ListScreen.tsx';
import { useList } from '../table/list.ts';
import { shortDateTime } from '../ui/dates.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Panel } from '../ui/Panel.tsx';
import { StatusBadge } from '../ui/StatusBadge.tsx';
import { verificationPage } from './operator.ts';
import { verificationSearch } from './searches.ts';
import { useReveal } from './useReveal.tsx';
import { type RevealedVerification, VerificationSheet } from './VerificationSheet.tsx';

const column = columnsOf<OperatorVerification>();

/** The verifications of an account. A recipient is masked until the operator gives a reason to reveal it. */
export function AccountVerifications({ id }: { id: string }) {
  const list = useList(verificationSearch);
  const query = useQuery(verificationPage(id, list.search));
  const [shown, setShown] = useState('');
  const [isOpen, setOpen] = useState(false);
  const { revealed, button, dialog } = useReveal<RevealedVerification>({
    title: 'Reveal Recipient',
    schema: revealVerification.body,
    success: 'Recipient revealed',
    run: (otp_id, body) => call(revealVerification, { params: { id, otp_id }, body }),
  });
  const { columns, compact } = useMemo(
    () => ({ columns: columnsWith(revealed, button), compact: compactWith(revealed, button) }),
    [revealed, button],
  );
  return (
    <Panel title="Verifications">
      <ListScreen
        label="Verifications"
        noun="OTP(s)"
        placeholder="Search by full id or recipient..."
        list={list}
        query={query}
        columns={columns}
        compact={compact}
        rowId={(verification) => verification.id}
        onOpen={({ id: otp_id }) => {
          setShown(otp_id);
          setOpen(true);
        }}
        error={{ title: 'Error loading data', message: 'Failed to load OTP verifications' }}
        empty={{
          icon: <IconShieldCheck size={24} />,
          title: 'No verifications',
          nothing: (
            <EmptyState icon={<IconShieldCheck size={24} />} title="No verifications">
              This account has not sent a code yet.
            </EmptyState>
          ),
          noMatch: 'No verification matches the search.',
        }}
      />
      <VerificationSheet
        account_id={id}
        otp_id={shown}
        revealed={revealed[shown]}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        action={button(shown)}
      />
      {dialog}
    </Panel>
  );
}

type Revealed = Readonly<Record<string, RevealedVerification>>;
type RevealButton = (id: string) => ReactNode;

const compactWith =
  (revealed: Revealed, button: RevealButton) =>
  (verification: OperatorVerification): Compact => ({
    title: revealed[verification.id]?.recipient ?? verification.recipient,
    badge: <StatusBadge status={verification.status} />,
    details: [labelOf(verification.channel), shortDateTime(verification.created_at)],
    action: button(verification.id),
  });

const columnsWith = (revealed: Revealed, button: RevealButton) =>
  column.columns([
    column.accessor('recipient', {
      header: 'Recipient',
      cell: ({ row: { original } }) => revealed[original.id]?.recipient ?? original.recipient,
    }),
    column.accessor('channel', {
      header: 'Method',
      meta: { width: '7rem' },
      cell: ({ getValue }) => labelOf(getValue()),
    }),
    column.accessor('status', {
      header: 'Status',
      enableSorting: true,
      meta: { width: '8rem' },
      cell: ({ getValue }) => <StatusBadge status={getValue()} />,
    }),
    column.accessor('created_at', {
      header: 'Created',
      enableSorting: true,
      meta: { width: '12rem' },
      cell: ({ getValue }) => <time dateTime={getValue()}>{shortDateTime(getValue())}</time>,
    }),
    column.display({
      id: 'reveal',
      header: 'Actions',
      meta: { isAction: true, align: 'right', width: '6rem' },
      cell: ({ row: { original } }) => button(original.id),
    }),
  ]);
