import { z } from 'zod';
import { CHANNELS } from './channels.ts';
import { countryCode, credits } from './field.ts';
import { route } from './route.ts';

export { costOf, DEFAULT_SEND_PRICE, sendPriceOf } from './send-prices.ts';

/** Whether a send costs its credits once, or for each segment of its text. Only SMS have segments. */
export const PRICE_UNITS = ['request', 'segment'] as const;

export const SEND_PRICE_MOST = 1_000;
const CREDITS_MESSAGE = `Credits must be a whole number from 1 to ${SEND_PRICE_MOST.toLocaleString('en-US')}`;

/** The price of a send on a channel, to a country or to all others. */
export const SendPrice = z.object({
  channel: z.enum(CHANNELS, { error: `Channel must be one of: ${CHANNELS.join(', ')}.` }),
  country: countryCode.nullable().meta({
    description: 'ISO 3166-1 alpha-2; null: every country without its own price',
  }),
  credits: z
    .number({ error: CREDITS_MESSAGE })
    .int(CREDITS_MESSAGE)
    .min(1, CREDITS_MESSAGE)
    .max(SEND_PRICE_MOST, CREDITS_MESSAGE),
  unit: z
    .enum(PRICE_UNITS, { error: `Unit must be one of: ${PRICE_UNITS.join(', ')}.` })
    .meta({ description: 'request: per send; segment: per segment of an SMS' }),
});
export type SendPrice = z.infer<typeof SendPrice>;

// ── credits ──

/** The card networks' minimum charge. */
export const LEAST_PAYMENT_CENTS = 50;

export const Bundle = z.object({
  credits,
  discount: z.number().int().meta({ description: 'percent' }),
  popular: z.boolean(),
});
export type Bundle = z.infer<typeof Bundle>;

/** All prices of a deployment, as stored. */
export const PriceList = z.object({
  base_price_cents: z.number().meta({ description: 'US cents for one credit, without a discount' }),
  minimum_credits: credits.meta({ description: 'The smallest purchase' }),
  bundles: z
    .array(Bundle)
    .meta({ description: 'Any other amount gets the discount of the largest bundle it reaches' }),
  sends: z
    .array(SendPrice)
    .meta({ description: 'The prices of sends. On a channel without a price, a send costs one credit' }),
});
export type PriceList = z.infer<typeof PriceList>;

export const DEFAULT_PRICES: PriceList = {
  base_price_cents: 2,
  minimum_credits: 25,
  bundles: [
    { credits: 100, discount: 0, popular: false },
    { credits: 500, discount: 5, popular: false },
    { credits: 1_000, discount: 10, popular: true },
    { credits: 5_000, discount: 15, popular: false },
    { credits: 10_000, discount: 20, popular: false },
    { credits: 50_000, discount: 25, popular: false },
  ],
  sends: [],
};

/** The price of a number of credits, rounded to the cent. Prices of a credit have at most two decimals, so the sums are exact. */
export function purchasePriceOf({ base_price_cents, bundles }: PriceList, credits: number) {
  const discount = bundles.findLast((bundle) => bundle.credits <= credits)?.discount ?? 0;
  const hundredths = credits * Math.round(base_price_cents * 100);
  const price_usd_cents = Math.round((hundredths * (100 - discount)) / 10_000);
  const base_cents = Math.round(hundredths / 100);
  return { discount, base_cents, price_usd_cents };
}

export const Prices = PriceList.omit({ bundles: true });
export type Prices = z.infer<typeof Prices>;

export const getPrices = route('GET /payments/prices/', {
  name: 'getPrices',
  tag: 'payments',
  auth: 'bearer',
  summary: 'Prices of credits and sends',
  reply: Prices,
});
