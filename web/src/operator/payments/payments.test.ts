import { expect, test } from 'vitest';
import { creditsRemovedBy, monthsBefore, stripeAddress } from './payments.ts';

test('a month begins and ends on the right UTC days, including in December and a leap year', () => {
  expect(monthsBefore(new Date('2028-03-31T23:59:59Z'), 4)).toEqual([
    { label: 'March 2028', period: { from: '2028-03-01', to: '2028-03-31' } },
    { label: 'February 2028', period: { from: '2028-02-01', to: '2028-02-29' } },
    { label: 'January 2028', period: { from: '2028-01-01', to: '2028-01-31' } },
    { label: 'December 2027', period: { from: '2027-12-01', to: '2027-12-31' } },
  ]);
});

test('a payment links to its Stripe page in the mode of the key', () => {
  const payment_intent_id = 'pi_3OxQ';
  expect(stripeAddress({ provider: 'stripe', payment_intent_id })).toBe(
    'https://dashboard.stripe.com/payments/pi_3OxQ',
  );
  expect(stripeAddress({ provider: 'stripe_test', payment_intent_id })).toBe(
    'https://dashboard.stripe.com/test/payments/pi_3OxQ',
  );
});

test('a payment without an intent, or in the sandbox, has no Stripe link', () => {
  expect(stripeAddress({ provider: 'stripe', payment_intent_id: null })).toBeUndefined();
  expect(stripeAddress({ provider: 'sandbox', payment_intent_id: 'pi_3OxQ' })).toBeUndefined();
});

test('a refund removes the share of the credits that the money returned so far has, rounded down', () => {
  const purchase = { credits: 500, credits_taken: 0, price_usd_cents: 950, refunded_cents: 0 };
  expect(creditsRemovedBy(950, purchase)).toBe(500);
  expect(creditsRemovedBy(1, purchase)).toBe(0);
  expect(creditsRemovedBy(2, { ...purchase, refunded_cents: 1 })).toBe(1);
  expect(creditsRemovedBy(475, { ...purchase, credits_taken: 250, refunded_cents: 475 })).toBe(250);
});
