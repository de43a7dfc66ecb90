const BRANDS: Record<string, string> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  diners: 'Diners Club',
  discover: 'Discover',
  jcb: 'JCB',
  unionpay: 'UnionPay',
};
const brandName = (brand: string): string => BRANDS[brand] ?? brand.charAt(0).toUpperCase() + brand.slice(1);

/** 'Visa ending in 4242', from the provider's spelling of the brand */
export const cardText = ({ brand, last4 }: { brand: string; last4: string }): string =>
  `${brandName(brand)} ending in ${last4}`;
