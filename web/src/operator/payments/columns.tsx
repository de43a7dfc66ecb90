import { Button } from '@mantine/core';
import type { OperatorPurchase } from '@sixdigit/contract/operator/payments.ts';
import {
  IconAlertTriangle,
  IconBan,
  IconCheck,
  IconClock,
  IconReceiptRefund,
  IconX,
} from '@tabler/icons-react';
import { count } from '../../payments/prices.ts';
import type { Compact } from '../../table/CompactRow.tsx';
import { columnsOf } from '../../table/columns.ts';
import { Badge, type Tone } from '../../ui/Badge.tsx';
import { fullDateTime, rowDateTime, shortDateTime } from '../../ui/dates.ts';
import { PageLink } from '../../ui/links.tsx';
import { number } from '../Facts.tsx';
import { CellText, Line } from '../Rows.tsx';
import { displayCents, isRefundable } from './payments.ts';

type OnRefund = ((purchase: OperatorPurchase) => void) | undefined;

const looks: Record<OperatorPurchase['status'], Look> = {
  succeeded: { tone: 'green', label: 'Completed', Icon: IconCheck },
  pending: { tone: 'blue', label: 'Pending', Icon: IconClock },
  failed: { tone: 'red', label: 'Failed', Icon: IconX },
  canceled: { tone: 'gray', label: 'Canceled', Icon: IconBan },
};

interface Look {
  tone: Tone;
  label: string;
  Icon: typeof IconCheck;
}

/** The status of a purchase, with what was given back. */
export function lookOf({ status, refunded_cents, price_usd_cents, reversals }: OperatorPurchase): Look {
  const taken = reversals.filter(({ state }) => state === 'taken');
  if (taken.some(({ kind }) => kind === 'dispute'))
    return { tone: 'red', label: 'Disputed', Icon: IconAlertTriangle };
  if (refunded_cents >= price_usd_cents)
    return { tone: 'orange', label: 'Refunded', Icon: IconReceiptRefund };
  if (refunded_cents > 0) return { tone: 'orange', label: 'Refunded in part', Icon: IconReceiptRefund };
  return looks[status];
}

function Status({ purchase }: { purchase: OperatorPurchase }) {
  const { tone, label, Icon } = lookOf(purchase);
  // On a phone, an address needs the icon's room.
  return (
    <Badge tone={tone} icon={<Icon className="max-sm:hidden" size={13} stroke={2.25} aria-hidden />}>
      {label}
    </Badge>
  );
}

const RefundButton = ({ purchase, onRefund }: { purchase: OperatorPurchase; onRefund: OnRefund }) =>
  onRefund && isRefundable(purchase) ? (
    <Button
      variant="default"
      size="compact-sm"
      aria-label={`Refund ${displayCents(purchase.price_usd_cents)} to ${purchase.email ?? 'the deleted account'}, ${fullDateTime(purchase.created_at)}`}
      onClick={() => onRefund(purchase)}
    >
      Refund
    </Button>
  ) : null;

export const compactPurchase =
  (onRefund: OnRefund) =>
  (purchase: OperatorPurchase): Compact => ({
    title: (
      <>
        {purchase.email ?? 'Deleted account'}
        {purchase.failure ? <Line>{purchase.failure}</Line> : null}
      </>
    ),
    isLong: true,
    badge: <Status purchase={purchase} />,
    details: [rowDateTime(purchase.created_at), count(purchase.credits)],
    end: displayCents(purchase.price_usd_cents),
    // Purchases without the button keep its place, so that statuses and amounts are aligned.
    action:
      onRefund && !isRefundable(purchase) ? (
        <Button size="compact-sm" style={{ visibility: 'hidden' }}>
          Refund
        </Button>
      ) : (
        <RefundButton purchase={purchase} onRefund={onRefund} />
      ),
  });

const column = columnsOf<OperatorPurchase>();

export const purchaseColumns = (onRefund: OnRefund) =>
  column.columns([
    column.accessor('email', {
      header: 'Account',
      cell: ({ row: { original } }) => (
        <CellText>
          <PageLink to="/operator/accounts/$id" params={{ id: original.account_id }}>
            {original.email ?? 'Deleted account'}
          </PageLink>
          <small>{original.card ?? original.failure ?? original.provider}</small>
        </CellText>
      ),
    }),
    column.accessor('credits', {
      header: 'Credits',
      meta: { align: 'right', width: '6rem' },
      cell: ({ getValue }) => number(getValue()),
    }),
    column.accessor('price_usd_cents', {
      header: 'Amount',
      meta: { isSortable: true, align: 'right', width: '6.5rem' },
      cell: ({ getValue }) => displayCents(getValue()),
    }),
    column.accessor('refunded_cents', {
      header: 'Returned',
      meta: { align: 'right', width: '6.5rem' },
      cell: ({ getValue }) => (getValue() === 0 ? '–' : displayCents(getValue())),
    }),
    column.accessor('status', {
      header: 'Status',
      meta: { width: '10rem' },
      cell: ({ row: { original } }) => <Status purchase={original} />,
    }),
    column.accessor('created_at', {
      header: 'Created',
      meta: { isSortable: true, width: '11.5rem' },
      cell: ({ getValue }) => <time dateTime={getValue()}>{shortDateTime(getValue())}</time>,
    }),
    column.display({
      id: 'refund',
      header: 'Actions',
      meta: { isAction: true, align: 'right', width: '6rem' },
      cell: ({ row: { original } }) => <RefundButton purchase={original} onRefund={onRefund} />,
    }),
  ]);
