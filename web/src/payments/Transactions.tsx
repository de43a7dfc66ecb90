import { IconReceipt } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { ListScreen } from '../table/ListScreen.tsx';
import { useList } from '../table/list.ts';
import { compactTransaction, transactionColumns } from './columns.tsx';
import { transactionExport, transactionPage } from './payments.ts';
import { transactionSearch } from './transaction-search.ts';

/** The payment history. */
export function Transactions() {
  const list = useList(transactionSearch);
  const query = useQuery(transactionPage(list.search));
  return (
    <section className="mt-3" aria-labelledby="payment-history">
      <h2 id="payment-history" className="mt-0 mb-3.5 text-20 font-650">
        Payment History
      </h2>
      <ListScreen
        label="Payment History"
        noun="transaction(s)"
        placeholder="Search transactions..."
        list={list}
        query={query}
        columns={transactionColumns}
        exporting={transactionExport(list.search)}
        isLive
        columnsWidth={840}
        compact={compactTransaction}
        rowId={(transaction) => transaction.id}
        failure="Failed to fetch transactions"
        empty={{
          icon: <IconReceipt size={24} />,
          title: 'No transactions found',
          text: 'Purchases, refunds and spent credits are listed here.',
          noMatchTitle: 'No transactions found',
          noMatch: `No transaction matches “${list.search.search}”.`,
        }}
      />
    </section>
  );
}
