import { containing } from '../platform/db/page.ts';
import { type Exported, PART_ROWS } from '../platform/export/export.ts';
import { type Row, selectTransactionPart } from './history.ts';

/** The payment history as CSV. Credits that leave the account are negative. */
export const transactionExport = (account_id: string, search: string): Exported<Row> => ({
  name: 'payment-history',
  columns: [
    { header: 'id', cell: (row) => row.id },
    { header: 'created_at', cell: (row) => row.created_at },
    { header: 'transaction_type', cell: (row) => row.transaction_type },
    { header: 'kind', cell: (row) => row.kind },
    { header: 'description', cell: (row) => row.description },
    {
      header: 'credits',
      cell: (row) => (row.transaction_type === 'usage' ? -row.amount : row.amount),
    },
    { header: 'price_usd_cents', cell: (row) => row.price_usd_cents },
    { header: 'payment_status', cell: (row) => row.payment_status },
  ],
  part: (tx, below) => selectTransactionPart(tx, account_id, containing(search), { below, most: PART_ROWS }),
});
