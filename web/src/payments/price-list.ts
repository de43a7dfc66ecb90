import { DEFAULT_PRICES, getPrices } from '@sixdigit/contract/prices.ts';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';

/** Prefix of all payment queries. A purchase invalidates it. */
export const PAYMENTS = ['payments'] as const;

/** The operator may change them at any time. Until they are loaded, screens show the defaults. */
export const prices = queryOptions({
  queryKey: [...PAYMENTS, 'prices'],
  queryFn: ({ signal }) => call(getPrices, { signal }),
  placeholderData: DEFAULT_PRICES,
});
