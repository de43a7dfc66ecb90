import { exportAccounting } from '@sixdigit/contract/operator/accounting.ts';
import { listDisputes } from '@sixdigit/contract/operator/disputes.ts';
import { getReconciliation, listPurchases } from '@sixdigit/contract/operator/payments.ts';
import { queryOptions } from '@tanstack/react-query';
import { call, openStream } from '../../api/call.ts';
import { keepPrevious } from '../../api/queries.ts';
import { PAGE_SIZE } from '../../table/Pager.tsx';
import type { Exporting } from '../../table/run-export.ts';
import { OPERATOR } from '../operator.ts';
import type { purchaseSearch } from '../searches.ts';

export const PAYMENTS = [...OPERATOR, 'payments'] as const;

/** Customers and the card provider change these lists at any time. */
const fresh = { ...keepPrevious, staleTime: 0 };

export const purchasePage = ({ page, search, ordering, status }: typeof purchaseSearch.defaults) =>
  queryOptions({
    queryKey: [...PAYMENTS, 'page', { page, search, ordering, status }],
    queryFn: ({ signal }) =>
      call(listPurchases, { query: { page, page_size: PAGE_SIZE, search, ordering, status }, signal }),
    ...fresh,
  });

export const reconciliation = queryOptions({
  queryKey: [...PAYMENTS, 'reconciliation'],
  queryFn: ({ signal }) => call(getReconciliation, { signal }),
  staleTime: 0,
});

export interface DisputeSearch {
  /** the id of an account; '' for all */
  search: string;
  state: 'all' | 'open';
  page: number;
}
export const disputePage = ({ search, state, page }: DisputeSearch) =>
  queryOptions({
    queryKey: [...PAYMENTS, 'disputes', { search, state, page }],
    queryFn: ({ signal }) =>
      call(listDisputes, { query: { search, state, page, page_size: PAGE_SIZE }, signal }),
    ...fresh,
  });

export const accountingExport = (period: { from: string; to: string }): Exporting => ({
  name: `accounting-${period.from}-to-${period.to}`,
  open: (signal) => openStream(exportAccounting, { query: period, signal }),
});
