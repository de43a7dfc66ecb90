import type { Verification } from '@sixdigit/contract/verifications.ts';
import type { ReactNode } from 'react';
import type { Compact } from '../table/CompactRow.tsx';
import { columnsOf } from '../table/columns.ts';
import { CostBadge, StatusBadge } from '../ui/Badge.tsx';
import { labelOf } from '../ui/channel.ts';
import { rowDateTime } from '../ui/dates.ts';
import { RecipientText } from '../ui/RecipientText.tsx';
import { Time } from '../ui/Time.tsx';
import { carrierName } from './route-filters.ts';

interface Props {
  recipient: string | null | undefined;
  /** the API key that sent it */
  keyName: string;
}

/** A table cell with the recipient and the API key. */
export const Recipient = ({ recipient, keyName }: Props) => (
  <span>
    <span className="block font-550 whitespace-nowrap" title={recipient ?? undefined}>
      {recipient ? <RecipientText recipient={recipient} /> : 'No recipient'}
    </span>
    <span className="block max-w-50 truncate text-13 font-400 text-ink-soft" title={keyName}>
      {keyName}
    </span>
  </span>
);

type Sent = Pick<Verification, 'channel' | 'segments' | 'resend_of'>;

/** 'Resend' if the message repeats a code, and '2 segments' if an SMS needed more than one. */
const notesOf = ({ segments, resend_of }: Sent): string[] => [
  ...(resend_of === null ? [] : ['Resend']),
  ...(segments !== null && segments > 1 ? [`${segments} segments`] : []),
];

/** A table cell with the channel and its notes. */
const Method = ({ sent }: { sent: Sent }) => {
  const notes = notesOf(sent).join(', ');
  return (
    <span title={sent.resend_of === null ? undefined : `Resend of ${sent.resend_of}`}>
      {labelOf(sent.channel)}
      {notes ? <span className="block max-w-50 truncate text-13 font-400 text-ink-soft">{notes}</span> : null}
    </span>
  );
};

const column = columnsOf<Verification>();

export const compactVerification = (otp: Verification): Compact => ({
  title: <RecipientText recipient={otp.recipient} />,
  badge: <StatusBadge status={otp.status} />,
  details: [labelOf(otp.channel), rowDateTime(otp.created_at), otp.api_key.name],
  more: notesOf(otp),
  end: <CostBadge credits={otp.cost_credits} />,
});

export const verificationColumns = (onOpen: (id: string) => void) =>
  column.columns([
    column.accessor('created_at', {
      header: 'Created',
      meta: { isSortable: true, width: '12.25rem' },
      cell: ({ getValue }) => <Time at={getValue()} />,
    }),
    column.accessor('recipient', {
      header: 'Recipient',
      cell: ({ row: { original } }) => (
        <Recipient recipient={original.recipient} keyName={original.api_key.name} />
      ),
    }),
    column.accessor('channel', {
      header: 'Method',
      meta: { width: '6rem' },
      cell: ({ row: { original } }) => <Method sent={original} />,
    }),
    column.accessor('status', {
      header: 'Status',
      meta: { width: '7.5rem' },
      cell: ({ getValue }) => <StatusBadge status={getValue()} />,
    }),
    column.accessor('country', {
      header: 'Country',
      meta: { width: '6rem', isOptional: 'where wide' },
      cell: ({ getValue }) => getValue() ?? '–',
    }),
    column.accessor('carrier', {
      header: 'Carrier',
      meta: { width: '7rem', isOptional: 'where wide' },
      cell: ({ getValue }) => carrierName(getValue() ?? '–'),
    }),
    column.accessor('language', {
      header: 'Language',
      meta: { width: '6.5rem', isOptional: 'if chosen' },
      cell: ({ getValue }) => getValue() ?? '–',
    }),
    column.accessor('cost_credits', {
      header: 'Credits',
      meta: { width: '5rem', align: 'right' },
      cell: ({ getValue }) => <CostBadge credits={getValue()} />,
    }),
    column.display({
      id: 'history',
      header: 'History',
      meta: { isAction: true, width: '9rem', align: 'right' },
      cell: ({ row: { original } }) => (
        <RowButton onClick={() => onOpen(original.id)} label={`View History of ${original.recipient}`}>
          View History
        </RowButton>
      ),
    }),
  ]);

interface ButtonProps {
  onClick: () => void;
  /** for screen readers, if several rows have the same text */
  label?: string;
  children: ReactNode;
}

/** A quiet button in a row. A plain element, because tables render many. */
const RowButton = ({ onClick, label, children }: ButtonProps) => (
  <button
    type="button"
    aria-label={label}
    className="h-6.5 cursor-pointer rounded-8 border-0 bg-transparent px-2 text-14 font-600 whitespace-nowrap text-on-gray-soft hover:bg-(--mantine-color-gray-light-hover) pointer-coarse:h-11 pointer-coarse:px-3.5"
    onClick={onClick}
  >
    {children}
  </button>
);
