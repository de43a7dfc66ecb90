import type { exportAccounting } from '@sixdigit/contract/operator/accounting.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import { receiptNumber } from '../../payments/payments.ts';
import { type Exported, PART_ROWS } from '../../platform/export/export.ts';
import { type AccountingRow, selectAccountingPart } from './accounting-queries.ts';

const DAY_MS = 86_400_000;

/** Everything that moved money or credits, apart from sends, their refunds and welcome credits; oldest first. */
export const accountingExport = ({
  from,
  to,
}: Parsed<typeof exportAccounting, 'query'>): Exported<AccountingRow> => {
  const until = new Date(Date.parse(to) + DAY_MS).toISOString();
  return {
    name: `accounting-${from}-to-${to}`,
    columns: [
      { header: 'date', cell: ({ at }) => at },
      { header: 'kind', cell: ({ kind }) => kind },
      { header: 'account', cell: ({ email }) => email },
      { header: 'account_id', cell: ({ account_id }) => account_id },
      {
        header: 'receipt',
        cell: ({ receipt_number: number }) => (number === null ? null : receiptNumber(number)),
      },
      { header: 'gross', cell: ({ cents }) => cents / 100 },
      { header: 'currency', cell: ({ currency }) => currency.toUpperCase() },
      { header: 'credits', cell: ({ credits }) => credits },
      { header: 'order_id', cell: ({ order_id }) => order_id },
      { header: 'payment_intent_id', cell: ({ payment_intent_id }) => payment_intent_id },
      { header: 'refund_or_dispute_id', cell: ({ reversal_id }) => reversal_id },
      { header: 'provider', cell: ({ provider }) => provider },
      { header: 'reason', cell: ({ reason }) => reason },
    ],
    first: `${from}T00:00:00.000000Z`,
    async part(tx, after) {
      const [begin = ''] = after.split(' ');
      const rows = await selectAccountingPart(tx, { from: begin, after, until, most: PART_ROWS });
      return { rows, next: rows.length < PART_ROWS ? null : (rows.at(-1)?.place ?? null) };
    },
  };
};
