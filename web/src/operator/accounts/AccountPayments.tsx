import { IconReceipt } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { compactTransaction, transactionColumns } from '../../payments/columns.tsx';
import { transactionSearch } from '../../payments/transaction-search.ts';
import { ListScreen } from '../../table/ListScreen.tsx';
import { useList } from '../../table/list.ts';
import { ButtonLink } from '../../ui/links.tsx';
import { transactionPage } from './data.ts';

/** Without receipts, which only the owner can open. */
const columns = transactionColumns.filter(({ id }) => id !== 'receipt');

/** The account's payment history. */
export function AccountPayments() {
  const { id } = useParams({ from: '/_app/operator/accounts/$id' });
  const list = useList(transactionSearch);
  const query = useQuery({
    ...transactionPage(id, list.search),
    select: ({ results, ...page }) => ({
      ...page,
      results: results.map((transaction) => ({ ...transaction, has_receipt: false })),
    }),
  });
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p className="m-0 text-ink-soft">Purchases have the cards, receipts and refunds.</p>
        <ButtonLink variant="default" to="/operator/payments" search={{ search: id }}>
          View Purchases
        </ButtonLink>
      </div>
      <ListScreen
        label="Payment History"
        noun="transaction(s)"
        placeholder="Search transactions..."
        list={list}
        query={query}
        columns={columns}
        columnsWidth={760}
        compact={compactTransaction}
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
