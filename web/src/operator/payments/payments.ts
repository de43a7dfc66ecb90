import { exportAccounting } from '@sixdigit/contract/operator/accounting.ts';
import { listDisputes } from '@sixdigit/contract/operator/disputes.ts';
import { getReconciliation, listPurchases } from '@sixdigit/contract/operator/payments.ts';
import { openStream } from '../../api/call.ts';
import { read, readPage } from '../../api/read.ts';
import type { Exporting } from '../../table/run-export.ts';
import type { purchaseSearch } from '../searches.ts';

/** Customers and the card provider change these lists at any time. */
const fresh = { staleTime: 0 };

export const purchasePage = ({ page, search, ordering, status }: typeof purchaseSearch.defaults) =>
  readPage(listPurchases, { query: { page, search, ordering, status } }, fresh);

export const reconciliation = read(getReconciliation, {}, fresh);

export interface DisputeSearch {
  /** the id of an account; '' for all */
  search: string;
  state: 'all' | 'open';
  page: number;
}
export const disputePage = ({ search, state, page }: DisputeSearch) =>
  readPage(listDisputes, { query: { search, state, page } }, fresh);

export const accountingExport = (period: { from: string; to: string }): Exporting => ({
  name: `accounting-${period.from}-to-${period.to}`,
  open: (signal) => openStream(exportAccounting, { query: period, signal }),
});
