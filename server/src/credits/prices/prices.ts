import { costOf, DEFAULT_PRICES, PriceList } from '@sixdigit/contract/prices.ts';
import type { Queryable } from '../../platform/db/sql.ts';
import { type LiveSettings, valuesOf } from '../../settings/live-settings/live-settings.ts';

/**
 * The prices of credits and sends. Operators can change the price list while the service runs. The list is a single live
 * setting, so that its history is complete. Each send is charged the price given in its response, because one process decides
 * both.
 */
export const PRICES = 'prices';

export interface SendPrices {
  /** The credits that a send costs now. */
  costOf(send: Parameters<typeof costOf>[1]): number;
}

export interface PriceBook extends SendPrices {
  current(): PriceList;
}

export function createPrices(live: Pick<LiveSettings, 'value'>): PriceBook {
  let stored: unknown;
  let list: PriceList = DEFAULT_PRICES;
  const current = (): PriceList => {
    const value = live.value(PRICES);
    if (value !== stored) list = pricesOf(value);
    stored = value;
    return list;
  };
  return { current, costOf: (send) => costOf(current().sends, send) };
}

/** A stored list, or the default list. */
export const pricesOf = (stored: unknown): PriceList => PriceList.safeParse(stored).data ?? DEFAULT_PRICES;

/** Every price list that this deployment has had, for checking a payment whose order was lost. */
export const everyPriceList = async (sql: Queryable): Promise<PriceList[]> => [
  DEFAULT_PRICES,
  ...(await valuesOf(sql, PRICES)).map(pricesOf),
];
