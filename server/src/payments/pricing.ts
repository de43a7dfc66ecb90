import type { CreditPackage, PriceQuote } from '@sixdigit/contract/payments.ts';
import { LEAST_PAYMENT_CENTS, type PriceList, purchasePriceOf } from '@sixdigit/contract/prices.ts';
import { Failure, FieldErrors } from '../platform/http/failure.ts';

/** The currency of orders: ISO 4217 in lower case, as the card provider writes it. */
export const CURRENCY = 'usd';

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** `$1,012.50` */
export const displayPrice = (cents: number): string => dollars.format(cents / 100);

/** An amount in the least unit of any currency: `$10.00`, `€10.00`, `¥1,000` */
export function displayAmount(amount: number, currency: string): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** The price of a number of credits, with the total rounded to the cent. */
export function quote(prices: PriceList, credits: number): PriceQuote {
  const { discount, base_cents, price_usd_cents } = purchasePriceOf(prices, credits);
  return {
    credits,
    price_usd_cents,
    price_display: displayPrice(price_usd_cents),
    base_price_cents: base_cents,
    savings_cents: base_cents - price_usd_cents,
    discount,
  };
}

/** Whether one of the lists has this price. */
export const isPriceOf = (
  lists: readonly PriceList[],
  { credits, price_usd_cents }: { credits: number; price_usd_cents: number },
): boolean =>
  Number.isInteger(credits) &&
  credits > 0 &&
  lists.some((prices) => purchasePriceOf(prices, credits).price_usd_cents === price_usd_cents);

export const bundles = (prices: PriceList): CreditPackage[] =>
  prices.bundles.map(({ credits, discount, popular }) => {
    const { price_usd_cents, price_display } = quote(prices, credits);
    return { credits, price_usd_cents, price_display, popular, discount };
  });

export const kindOf = (prices: PriceList, credits: number): 'bundle' | 'custom' =>
  prices.bundles.some((bundle) => bundle.credits === credits) ? 'bundle' : 'custom';

/** Whether the price of one credit less would be below the cards' minimum. */
const isForced = (prices: PriceList): boolean =>
  purchasePriceOf(prices, prices.minimum_credits - 1).price_usd_cents < LEAST_PAYMENT_CENTS;

/** Throws for an amount that is not on sale, and `price_changed` with the right quote if the price differs. */
export function agreedQuote(
  prices: PriceList,
  { credits, price_usd_cents }: { credits: number; price_usd_cents: number },
): PriceQuote {
  if (credits < prices.minimum_credits)
    throw new FieldErrors({
      credits: [
        `Please buy at least ${prices.minimum_credits} credits${isForced(prices) ? ': the card networks’ minimum is $0.50 a payment' : ''}.`,
      ],
    });
  const right = quote(prices, credits);
  if (right.price_usd_cents !== price_usd_cents) throw new Failure('price_changed', { quote: right });
  return right;
}
