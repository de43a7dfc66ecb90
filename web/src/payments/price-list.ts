import { DEFAULT_PRICES, getPrices } from '@sixdigit/contract/prices.ts';
import { read } from '../api/read.ts';

/** The prefix of all payment routes, which a purchase invalidates. */
export const PAYMENTS = { path: '/payments/' } as const;

/** An operator can change the prices at any time. Until they are loaded, screens show the defaults. */
export const prices = read(getPrices, {}, { placeholderData: DEFAULT_PRICES });
