import {
  BASE_PRICE_CENTS,
  type CreditPackage,
  LEAST_PURCHASE_CREDITS,
  type PriceQuote,
} from '#contract/payments.ts';
import { Failure, FieldErrors } from '../platform/http/failure.ts';

/** Bundles and their discounts in percent. Any other amount gets the discount of the largest bundle it reaches. */
const BUNDLES = [
  { credits: 100, discount: 0 },
  { credits: 500, discount: 5 },
  { credits: 1_000, discount: 10, popular: true },
  { credits: 5_000, discount: 15 },
  { credits: 10_000, discount: 20 },
  { credits: 50_000, discount: 25 },
];

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
export function quote(credits: number): PriceQuote {
  const discount = BUNDLES.findLast((bundle) => bundle.credits <= credits)?.discount ?? 0;
  const base_price_cents = credits * BASE_PRICE_CENTS;
  const price_usd_cents = Math.round((base_price_cents * (100 - discount)) / 100);
  return {
    credits,
    price_usd_cents,
    price_display: displayPrice(price_usd_cents),
    base_price_cents,
    savings_cents: base_price_cents - price_usd_cents,
    discount,
  };
}

export const isPriceOf = (credits: number, price_usd_cents: number): boolean =>
  Number.isInteger(credits) && credits > 0 && quote(credits).price_usd_cents === price_usd_cents;

export const bundles = (): CreditPackage[] =>
  BUNDLES.map(({ credits, discount, popular = false }) => {
    const { price_usd_cents, price_display } = quote(credits);
    return { credits, price_usd_cents, price_display, popular, discount };
  });

export const kindOf = (credits: number): 'bundle' | 'custom' =>
  BUNDLES.some((bundle) => bundle.credits === credits) ? 'bundle' : 'custom';

/** Throws for an amount that is not on sale, and `price_changed` with the right quote if the price differs. */
export function agreedQuote({
  credits,
  price_usd_cents,
}: {
  credits: number;
  price_usd_cents: number;
}): PriceQuote {
  if (credits < LEAST_PURCHASE_CREDITS)
    throw new FieldErrors({
      credits: [
        `Please buy at least ${LEAST_PURCHASE_CREDITS} credits: the card networks’ minimum is $0.50 a payment.`,
      ],
    });
  const right = quote(credits);
  if (right.price_usd_cents !== price_usd_cents) throw new Failure('price_changed', { quote: right });
  return right;
}
