import { expect, test } from 'vitest';
import { brandOf, count, expiryOf, perCredit, price } from './prices.ts';

test('prices have a thousands separator and two decimals', () => {
  expect(price(101_250)).toBe('$1,012.50');
  expect(price(0)).toBe('$0.00');
});

test('the price of a credit has four decimals', () => {
  expect(perCredit({ credits: 1_000, price_usd_cents: 1_800 })).toBe('$0.0180 per credit');
  expect(perCredit({ credits: 3, price_usd_cents: 5 })).toBe('$0.0167 per credit');
});

test('one credit is written in the singular', () => {
  expect([0, 1, 1_000].map(count)).toEqual(['0 credits', '1 credit', '1,000 credits']);
});

test('a card shows its brand in the usual spelling and its expiry as MM/YYYY', () => {
  expect(['visa', 'amex', 'jcb', 'unionpay'].map((brand) => brandOf({ brand }))).toEqual([
    'Visa',
    'American Express',
    'JCB',
    'UnionPay',
  ]);
  expect(expiryOf({ exp_month: 4, exp_year: 2030 })).toBe('04/2030');
});
