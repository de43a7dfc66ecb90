import {
  calculatePrice,
  exportTransactions,
  getReceipt,
  listPackages,
  listPaymentMethods,
  listTransactions,
} from '@sixdigit/contract/payments.ts';
import { openStream } from '../api/call.ts';
import { read, readPage } from '../api/read.ts';
import type { Exporting } from '../table/run-export.ts';
import type { transactionSearch } from './transaction-search.ts';

export const packages = read(listPackages, {});

export const savedCards = read(listPaymentMethods, {});

export const priceOf = (credits: number) => read(calculatePrice, { body: { credits } });

type Search = typeof transactionSearch.defaults;

export const transactionExport = ({ search }: Search): Exporting => ({
  name: 'payment-history',
  open: (signal) => openStream(exportTransactions, { query: { search }, signal }),
});

export const transactionPage = ({ page, search, ordering }: Search) =>
  readPage(listTransactions, { query: { page, search, ordering } });

export const receiptOf = (id: string) => read(getReceipt, { params: { id } });
