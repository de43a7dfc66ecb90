import {
  calculatePrice,
  exportTransactions,
  getAutoPurchase,
  getReceipt,
  listPackages,
  listPaymentMethods,
  listTransactions,
} from '@sixdigit/contract/payments.ts';
import { type COST_PERIODS, getUnverifiedCosts } from '@sixdigit/contract/unverified-costs.ts';
import type { QueryClient } from '@tanstack/react-query';
import { openStream } from '../api/call.ts';
import { deployment } from '../api/deployment.ts';
import { keepPrevious, read, readPage } from '../api/read.ts';
import type { Exporting } from '../table/run-export.ts';
import { listSearch, oneOf } from '../table/search.ts';
import { prices } from './price-list.ts';

export const packages = read(listPackages, {});

/** The service asks the card provider for them. */
export const savedCards = read(listPaymentMethods, {}, { staleTime: 60_000 });

export const autoPurchase = read(getAutoPurchase, {});

export const unverifiedCosts = (days: (typeof COST_PERIODS)[number]) =>
  read(getUnverifiedCosts, { query: { days } }, keepPrevious);

export const priceOf = (credits: number) => read(calculatePrice, { body: { credits } });

/** The state of the payment history in its address. */
export const transactionSearch = listSearch({
  orderings: ['created_at', 'description', 'amount', 'price_usd_cents', 'payment_status'],
  ordering: '-created_at',
  filters: { type: oneOf(['purchases', 'usage', 'all'], 'purchases') },
});
type Search = typeof transactionSearch.defaults;

export const transactionExport = ({ search, type }: Search): Exporting => ({
  name: 'payment-history',
  open: (signal) => openStream(exportTransactions, { query: { search, type }, signal }),
});

export const transactionPage = ({ page, search, ordering, type }: Search) =>
  readPage(listTransactions, { query: { page, search, ordering, type } });

export const receiptOf = (id: string) => read(getReceipt, { params: { id } });

export function prefetchCredits(queryClient: QueryClient, list: Search): void {
  void queryClient.prefetchQuery(transactionPage(list));
  void queryClient.prefetchQuery(prices);
  if (deployment().cards === 'none') return;
  void queryClient.prefetchQuery(autoPurchase);
  void queryClient.prefetchQuery(packages);
}
