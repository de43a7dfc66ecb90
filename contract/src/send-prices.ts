import type { Channel } from './channels.ts';

/** What a send costs on a channel, in a country or in all others. */
interface SendPrice {
  channel: Channel;
  country: string | null;
  credits: number;
  unit: 'request' | 'segment';
}

/** A send costs one credit unless the operator has set another price. */
export const DEFAULT_SEND_PRICE = { credits: 1, unit: 'request' } as const;

/** The price for a channel and country, or else the channel's price. Email has no country. */
export const sendPriceOf = (
  prices: readonly SendPrice[],
  { channel, country }: { channel: Channel; country: string | null },
): Pick<SendPrice, 'credits' | 'unit'> =>
  prices.find((price) => price.channel === channel && price.country !== null && price.country === country) ??
  prices.find((price) => price.channel === channel && price.country === null) ??
  DEFAULT_SEND_PRICE;

/** The credits that a send costs. */
export const costOf = (
  prices: readonly SendPrice[],
  send: { channel: Channel; country: string | null; segments: number | null },
): number => {
  const price = sendPriceOf(prices, send);
  return price.unit === 'segment' ? price.credits * (send.segments ?? 1) : price.credits;
};
