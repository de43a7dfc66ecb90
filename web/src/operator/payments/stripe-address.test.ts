import { expect, test } from 'vitest';
import { stripeAddress } from './stripe-address.ts';

test('a payment leads to its page at Stripe, in the mode of the key', () => {
  const payment_intent_id = 'pi_3OxQ';
  expect(stripeAddress({ provider: 'stripe', payment_intent_id })).toBe(
    'https://dashboard.stripe.com/payments/pi_3OxQ',
  );
  expect(stripeAddress({ provider: 'stripe_test', payment_intent_id })).toBe(
    'https://dashboard.stripe.com/test/payments/pi_3OxQ',
  );
});

test('a payment without an intent, or in the sandbox, leads nowhere', () => {
  expect(stripeAddress({ provider: 'stripe', payment_intent_id: null })).toBeUndefined();
  expect(stripeAddress({ provider: 'sandbox', payment_intent_id: 'pi_3OxQ' })).toBeUndefined();
});
