import { Button } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
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
import { ReasonDialog } from './ReasonDialog.tsx';
import { verificationSearch } from './searches.ts';

const column = columnsOf<OperatorVerification>();

/** The verifications of an account. A recipient is masked until the operator gives a reason to reveal it. */
export function AccountVerifications({ id }: { id: string }) {
  const list = useList(verificationSearch);
  const query = useQuery(verificationPage(id, list.search));
  const [asked, setAsked] = useState<string>();
  const [revealed, setRevealed] = useState<Record<string, string>>({});
  const { columns, compact } = useMemo(
    () => ({ columns: columnsWith(revealed, setAsked), compact: compactWith(revealed, setAsked) }),
    [revealed],
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
      <ReasonDialog
        opened={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title="Reveal Recipient"
        description="The audit records who revealed which recipient, and why."
        schema={revealVerification.body}
        confirm="Reveal"
        success="Recipient revealed"
        submit={async (body) => {
          const { recipient } = await call(revealVerification, { params: { id, otp_id: asked ?? '' }, body });
          setRevealed((before) => ({ ...before, [asked ?? '']: recipient }));
        }}
      />
    </Panel>
  );
}

interface RevealProps {
  verification: OperatorVerification;
  revealed: Record<string, string>;
  onReveal: (id: string) => void;
}

const RevealButton = ({ verification: { id }, revealed, onReveal }: RevealProps) =>
  revealed[id] ? null : (
    <Button variant="default" size="compact-sm" onClick={() => onReveal(id)}>
      Reveal
    </Button>
  );

const compactWith =
  (revealed: Record<string, string>, onReveal: (id: string) => void) =>
  (verification: OperatorVerification): Compact => ({
    title: revealed[verification.id] ?? verification.recipient,
    badge: <StatusBadge status={verification.status} />,
    details: [labelOf(verification.channel), shortDateTime(verification.created_at)],
    action: <RevealButton verification={verification} revealed={revealed} onReveal={onReveal} />,
  });

const columnsWith = (revealed: Record<string, string>, onReveal: (id: string) => void) =>
  column.columns([
    column.accessor('recipient', {
      header: 'Recipient',
      cell: ({ row: { original } }) => revealed[original.id] ?? original.recipient,
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
      cell: ({ row: { original } }) => (
        <RevealButton verification={original} revealed={revealed} onReveal={onReveal} />
      ),
    }),
  ]);
