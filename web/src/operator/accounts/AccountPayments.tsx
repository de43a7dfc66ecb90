import type { PaymentTransaction } from '@sixdigit/contract/payments.ts';
import { IconReceipt } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { compactTransaction, transactionColumns } from '../../payments/columns.tsx';
import { transactionSearch } from '../../payments/payments.ts';
import type { Compact } from '../../table/CompactRow.tsx';
import { columnsOf, idOf } from '../../table/columns.ts';
import { ListScreen } from '../../table/ListScreen.tsx';
import { useList } from '../../table/list.ts';
import { rowDateTime } from '../../ui/dates.ts';
import { PageLink } from '../../ui/links.tsx';
import { Time } from '../../ui/Time.tsx';
import { transactionPage } from './data.ts';

const column = columnsOf<PaymentTransaction>();

const ownColumns = column.columns([
  column.accessor('price_display', {
    id: 'price_usd_cents',
    header: 'Amount',
    meta: { isSortable: true, align: 'right', width: '7rem' },
    cell: ({ getValue }) => getValue() ?? '–',
  }),
  column.accessor('created_at', {
    header: 'Date',
    meta: { isSortable: true, width: '12.25rem' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
]);

/** Without receipts, which only the owner can open, and with dates and dashes as on the console's other screens. */
const columns = transactionColumns
  .filter((one) => idOf(one) !== 'receipt')
  .map((one) => ownColumns.find((own) => idOf(own) === idOf(one)) ?? one);

const compact = (transaction: PaymentTransaction): Compact => {
  const { details, ...shown } = compactTransaction(transaction);
  return {
    ...shown,
    details: [rowDateTime(transaction.created_at), ...details.slice(1)],
    action: null,
  };
};

/** The account's payment history. */
export function AccountPayments() {
  const { id } = useParams({ from: '/_app/operator/accounts/$id' });
  const list = useList(transactionSearch);
  const query = useQuery(transactionPage(id, list.search));
  return (
    <>
      <p className="mt-0 mb-4 text-14 text-ink-soft">
        To see the cards or to refund a purchase, open{' '}
        <PageLink to="/operator/payments" search={{ search: id }}>
          this account’s purchases
        </PageLink>
        .
      </p>
      <ListScreen
        label="Payment History"
        noun="transaction(s)"
        placeholder="Search transactions..."
        list={list}
        query={query}
        columns={columns}
        columnsWidth={760}
        compact={compact}
        rowId={(transaction) => transaction.id}
        failure="Failed to fetch transactions"
        empty={{
          icon: <IconReceipt size={24} />,
          title: 'No transactions',
          text: 'This account has neither bought nor spent credits.',
          noMatch: 'No transaction matches the search.',
        }}
      />
    </>
  );
}
