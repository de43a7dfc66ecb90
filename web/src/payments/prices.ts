import type { PaymentMethod } from '@sixdigit/contract/payments.ts';
import { countOf } from '../ui/numbers.ts';

export { dollars as price } from '../ui/numbers.ts';

const fourDecimals = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 4,
});

const upToFourDecimals = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 4,
});

/** '$0.02', '$0.0125' */
export const basePrice = (cents: number): string => upToFourDecimals.format(cents / 100);

/** '$0.0180 per credit' */
export const perCredit = ({
  credits,
  price_usd_cents,
}: {
  credits: number;
  price_usd_cents: number;
}): string => `${fourDecimals.format(price_usd_cents / 100 / credits)} per credit`;

export const number = (credits: number): string => credits.toLocaleString('en-US');

/** '1 credit', '1,000 credits' */
export const count = (credits: number): string => countOf(credits, 'credit');

const brands: Record<string, string> = {
  amex: 'American Express',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
};
export const brandOf = ({ brand }: Pick<PaymentMethod, 'brand'>): string =>
  brands[brand] ?? brand.charAt(0).toUpperCase() + brand.slice(1);

/** '04/2030' */
export const expiryOf = ({ exp_month, exp_year }: Pick<PaymentMethod, 'exp_month' | 'exp_year'>): string =>
  `${String(exp_month).padStart(2, '0')}/${exp_year}`;
