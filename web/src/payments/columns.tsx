import type { PaymentTransaction } from '@sixdigit/contract/payments.ts';
import {
  IconAdjustments,
  IconArrowBackUp,
  IconBan,
  IconCheck,
  IconClock,
  IconCreditCardRefund,
  IconGavel,
  IconGift,
  IconSend,
  IconShoppingCart,
  IconTransfer,
  IconX,
} from '@tabler/icons-react';
import type { Compact } from '../table/CompactRow.tsx';
import { columnsOf } from '../table/columns.ts';
import { Badge, type Tone } from '../ui/Badge.tsx';
import { paymentDateTime } from '../ui/dates.ts';
import { Ltr } from '../ui/Ltr.tsx';
import { LoneLink } from '../ui/links.tsx';
import { signed } from '../ui/numbers.ts';

type Icon = typeof IconClock;

const kinds: Record<PaymentTransaction['kind'], { label: string; Icon: Icon }> = {
  purchase: { label: 'Purchase', Icon: IconShoppingCart },
  welcome: { label: 'Free credits', Icon: IconGift },
  usage: { label: 'Usage', Icon: IconSend },
  refund: { label: 'Refund', Icon: IconArrowBackUp },
  card_refund: { label: 'Card refund', Icon: IconCreditCardRefund },
  dispute: { label: 'Dispute', Icon: IconGavel },
  adjustment: { label: 'Adjustment', Icon: IconAdjustments },
  transfer: { label: 'Transfer', Icon: IconTransfer },
};

const statuses: Record<PaymentTransaction['payment_status'], { label: string; tone: Tone; Icon: Icon }> = {
  succeeded: { label: 'Completed', tone: 'green', Icon: IconCheck },
  pending: { label: 'Pending', tone: 'blue', Icon: IconClock },
  failed: { label: 'Failed', tone: 'red', Icon: IconX },
  canceled: { label: 'Canceled', tone: 'gray', Icon: IconBan },
};

const iconColors: Record<PaymentTransaction['transaction_type'], string> = {
  purchase: 'bg-green-soft text-on-green-soft',
  usage: 'bg-orange-soft text-on-orange-soft',
  refund: 'bg-blue-soft text-on-blue-soft',
};

const column = columnsOf<PaymentTransaction>();

export const compactTransaction = (transaction: PaymentTransaction): Compact => ({
  title: <Description transaction={transaction} />,
  isLong: true,
  badge: <Credits transaction={transaction} />,
  details: [
    paymentDateTime(transaction.created_at),
    transaction.price_display,
    kinds[transaction.kind].label,
  ],
  // A phone has no room for the price beside the usual status. Only completed payments have a receipt.
  end:
    transaction.payment_status === 'succeeded' ? (
      <span className="touch:-mt-3 touch:-mb-2">
        <ReceiptLink transaction={transaction} />
      </span>
    ) : (
      <PaymentStatus status={transaction.payment_status} />
    ),
});

/** 'Credit bundle: 500 credits – Your card was declined.': the description and the reason. */
const partsOf = (transaction: PaymentTransaction) => transaction.description.split(' – ');

const Description = ({ transaction }: Part) => {
  const [text, reason] = partsOf(transaction);
  return (
    <>
      {text}
      {reason ? <span className="block text-13 font-400 text-ink-soft">{reason}</span> : null}
    </>
  );
};

export const transactionColumns = column.columns([
  column.accessor('description', {
    header: 'Transaction',
    meta: { isSortable: true },
    cell: ({ row: { original } }) => {
      const { label, Icon } = kinds[original.kind];
      const [text, reason] = partsOf(original);
      return (
        <span className="flex min-w-0 items-center gap-3">
          <span
            className={`grid size-8 flex-none place-items-center rounded-8 ${looks[original.payment_status] ? 'bg-sunken text-ink-soft' : iconColors[original.transaction_type]}`}
          >
            <Icon size={17} stroke={1.75} aria-hidden />
          </span>
          <span>
            <strong className="block font-550 wrap-anywhere">{text}</strong>
            <small className="block text-[0.78125rem] font-400 text-ink-soft">{reason ?? label}</small>
          </span>
        </span>
      );
    },
  }),
  column.accessor('amount', {
    header: 'Credits',
    meta: { isSortable: true, align: 'right', width: '7rem' },
    cell: ({ row: { original } }) => <Credits transaction={original} />,
  }),
  column.accessor('price_display', {
    id: 'price_usd_cents',
    header: 'Amount',
    meta: { isSortable: true, align: 'right', width: '7rem' },
    cell: ({ getValue }) => getValue() ?? '-',
  }),
  column.accessor('payment_status', {
    header: 'Status',
    meta: { isSortable: true, width: '8rem' },
    cell: ({ getValue }) => <PaymentStatus status={getValue()} />,
  }),
  column.accessor('created_at', {
    header: 'Date',
    meta: { isSortable: true, width: '11rem' },
    cell: ({ getValue }) => <time dateTime={getValue()}>{paymentDateTime(getValue())}</time>,
  }),
  column.display({
    id: 'receipt',
    header: 'Receipt',
    meta: { isAction: true, width: '6rem', align: 'right' },
    cell: ({ row: { original } }) => <ReceiptLink transaction={original} />,
  }),
]);

interface Part {
  transaction: PaymentTransaction;
}

/** The credits of a payment that failed or is not complete do not count, and neither they nor its icon are green. */
const looks: Record<PaymentTransaction['payment_status'], string> = {
  succeeded: '',
  pending: 'text-ink-soft',
  failed: 'text-ink-soft line-through',
  canceled: 'text-ink-soft line-through',
};

const Credits = ({ transaction: { transaction_type, payment_status, amount } }: Part) => (
  <span
    className={`font-600 whitespace-nowrap tabular-nums ${looks[payment_status] || (transaction_type === 'usage' ? 'text-orange' : 'text-green')}`}
  >
    <Ltr>{signed(transaction_type === 'usage' ? -amount : amount)}</Ltr>
  </span>
);

const PaymentStatus = ({ status }: { status: PaymentTransaction['payment_status'] }) => {
  const { label, tone, Icon } = statuses[status];
  return (
    <Badge tone={tone} icon={<Icon size={13} stroke={2.25} aria-hidden />}>
      {label}
    </Badge>
  );
};

const ReceiptLink = ({ transaction: { id, has_receipt, created_at } }: Part) =>
  has_receipt ? (
    <LoneLink aria-label={`Receipt of ${paymentDateTime(created_at)}`} to="/receipt/$id" params={{ id }}>
      Receipt
    </LoneLink>
  ) : null;
