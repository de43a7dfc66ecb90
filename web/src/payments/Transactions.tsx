import { IconReceipt } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { ListScreen } from '../table/ListScreen.tsx';
import { useList } from '../table/list.ts';
import { SegmentedControl } from '../ui/SegmentedControl.ts';
import { compactTransaction, transactionColumns } from './columns.tsx';
import { transactionExport, transactionPage, transactionSearch } from './payments.ts';

const TYPES = [
  { value: 'purchases', label: 'Purchases' },
  { value: 'usage', label: 'Usage' },
  { value: 'all', label: 'All' },
];
const EMPTY = {
  purchases: 'Purchases, free credits and card refunds are listed here.',
  usage: 'Sends that cost credits and their refunds are listed here.',
  all: 'Purchases, refunds and spent credits are listed here.',
};
const NO_MATCH = {
  purchases: (text: string) => `No purchase matches “${text}”. Usage has its own list.`,
  usage: (text: string) => `No usage matches “${text}”. Purchases have their own list.`,
  all: (text: string) => `No transaction matches “${text}”.`,
};

/** The payment history: purchases with their receipts, and the usage of credits. */
export function Transactions() {
  const list = useList(transactionSearch);
  const query = useQuery(transactionPage(list.search));
  const { type, search } = list.search;
  // The type is a view of its own. Only the search narrows it.
  const shown = { ...list, isFiltered: search !== '', reset: () => list.change({ search: '' }) };
  return (
    <section className="mt-3" aria-labelledby="payment-history">
      <div className="mb-3.5 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <h2 id="payment-history" className="m-0 text-20 font-650">
          Payment History
        </h2>
        <SegmentedControl
          aria-label="Type of transactions"
          data={TYPES}
          value={type}
          onChange={(value) => list.change({ type: value as typeof type })}
        />
      </div>
      <ListScreen
        label="Payment History"
        noun="transaction(s)"
        placeholder="Search transactions..."
        list={shown}
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
          text: EMPTY[type],
          noMatchTitle: 'No transactions found',
          noMatch: NO_MATCH[type](search),
        }}
      />
    </section>
  );
}
