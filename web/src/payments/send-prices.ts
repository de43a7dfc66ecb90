import type { Channel } from '@sixdigit/contract/channels.ts';
import type { SendPrice } from '@sixdigit/contract/prices.ts';
import { DEFAULT_SEND_PRICE, sendPriceOf } from '@sixdigit/contract/send-prices.ts';
import { CHANNELS_SHOWN } from '../ui/channel.ts';
import { countryName } from '../ui/display-names.ts';
import { count } from './prices.ts';

type Price = Pick<SendPrice, 'credits' | 'unit'>;

const isDefault = ({ credits, unit }: Price): boolean =>
  credits === DEFAULT_SEND_PRICE.credits && unit === DEFAULT_SEND_PRICE.unit;

/** Whether every send costs one credit, which is true unless an operator sets another price. */
export const areDefault = (sends: readonly SendPrice[]): boolean => sends.every(isDefault);

/** '1 credit', '3 credits per segment' */
export const priceText = ({ credits, unit }: Price): string =>
  `${count(credits)}${unit === 'segment' ? ' per segment' : ''}`;

/** 'SMS/Email costs 1 credit, voice costs 1 credit.', or the prices that the operator set for the service's channels. */
export function pricingNote(sends: readonly SendPrice[], channels: readonly Channel[]): string {
  if (areDefault(sends)) return 'SMS/Email costs 1 credit, voice costs 1 credit.';
  const texts = channels.map((channel) => {
    const price = priceText(sendPriceOf(sends, { channel, country: null }));
    return `${CHANNELS_SHOWN[channel].noun} costs ${price}`;
  });
  const others = sends.some(({ country }) => country !== null) ? ' Some countries have other prices.' : '';
  return `${texts.join(', ')}.${others}`;
}

/**
 * For each of the service's channels, a price for each country with its own price and one for all others. `isOnly`: the price applies to all
 * countries.
 */
export const allPrices = (
  sends: readonly SendPrice[],
  channels: readonly Channel[],
): (SendPrice & { isOnly: boolean })[] =>
  channels.flatMap((channel) => {
    const own = sends.filter((price) => price.channel === channel && price.country !== null);
    const rest = { channel, country: null, ...sendPriceOf(sends, { channel, country: null }) };
    return [...own.map((price) => ({ ...price, isOnly: false })), { ...rest, isOnly: own.length === 0 }];
  });

export const countryText = (country: string | null): string =>
  country === null ? 'All other countries' : countryName(country);
