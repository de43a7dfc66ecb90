import { DEFAULT_PRICES, getPrices } from '@sixdigit/contract/prices.ts';
import { read } from '../api/read.ts';

/** Above all payment routes. A purchase changes them. */
export const PAYMENTS = { path: '/payments/' } as const;

/** The operator may change them at any time. Until they are loaded, screens show the defaults. */
export const prices = read(getPrices, {}, { placeholderData: DEFAULT_PRICES });
