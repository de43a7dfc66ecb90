import { queryOptions } from '@tanstack/react-query';
import {
  calculatePrice,
  exportTransactions,
  getReceipt,
  listPackages,
  listPaymentMethods,
  listTransactions,
  type PaymentTransaction,
} from '#contract/payments.ts';
import { DEFAULT_PRICES, getPrices } from '#contract/prices.ts';
import { call, openStream } from '../api/call.ts';
import { asPage, type Page } from '../api/list.ts';
import { keepPrevious } from '../api/queries.ts';
import { PAGE_SIZE } from '../table/Pager.tsx';
import type { Exporting } from '../table/run-export.ts';
import { type ListSearch, listSearch } from '../table/search.ts';

/** Prefix of all payment queries. A purchase invalidates it. */
export const PAYMENTS = ['payments'] as const;

export const packages = queryOptions({
  queryKey: [...PAYMENTS, 'packages'],
  queryFn: ({ signal }) => call(listPackages, { signal }),
});

/** The operator may change them at any time. Until they are loaded, screens show the defaults. */
export const prices = queryOptions({
  queryKey: [...PAYMENTS, 'prices'],
  queryFn: ({ signal }) => call(getPrices, { signal }),
  placeholderData: DEFAULT_PRICES,
});

export const SAVED_CARDS = [...PAYMENTS, 'methods'] as const;
export const savedCards = queryOptions({
  queryKey: SAVED_CARDS,
  queryFn: async ({ signal }) => (await call(listPaymentMethods, { signal })).payment_methods,
});

export const priceOf = (credits: number) =>
  queryOptions({
    queryKey: [...PAYMENTS, 'price', credits],
    queryFn: ({ signal }) => call(calculatePrice, { body: { credits }, signal }),
  });

export const transactionSearch = listSearch({
  orderings: ['created_at', 'description', 'amount', 'price_usd_cents', 'payment_status'],
  ordering: '-created_at',
  filters: {},
});
type Search = ListSearch<(typeof transactionSearch.defaults)['ordering'], Record<never, never>>;

export const transactionExport = ({ search }: Search): Exporting => ({
  name: 'payment-history',
  open: (signal) => openStream(exportTransactions, { query: { search }, signal }),
});

export const transactionPage = ({ page, search, ordering }: Search) =>
  queryOptions({
    queryKey: [...PAYMENTS, 'transactions', { page, search, ordering }],
    queryFn: async ({ signal }): Promise<Page<PaymentTransaction>> =>
      asPage(
        await call(listTransactions, { query: { page, page_size: PAGE_SIZE, search, ordering }, signal }),
        page,
      ),
    ...keepPrevious,
  });

export const receiptOf = (id: string) =>
  queryOptions({
    queryKey: [...PAYMENTS, 'receipt', id],
    queryFn: ({ signal }) => call(getReceipt, { params: { id }, signal }),
  });
