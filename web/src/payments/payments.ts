import {
  calculatePrice,
  exportTransactions,
  getReceipt,
  listPackages,
  listPaymentMethods,
  listTransactions,
  type PaymentTransaction,
} from '@sixdigit/contract/payments.ts';
import { queryOptions } from '@tanstack/react-query';
import { call, openStream } from '../api/call.ts';
import { asPage, type Page } from '../api/list.ts';
import { keepPrevious } from '../api/queries.ts';
import { PAGE_SIZE } from '../table/Pager.tsx';
import type { Exporting } from '../table/run-export.ts';
import { PAYMENTS } from './price-list.ts';
import type { transactionSearch } from './transaction-search.ts';

export const packages = queryOptions({
  queryKey: [...PAYMENTS, 'packages'],
  queryFn: ({ signal }) => call(listPackages, { signal }),
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

type Search = typeof transactionSearch.defaults;

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
