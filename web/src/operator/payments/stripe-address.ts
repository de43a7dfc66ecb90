import type { OperatorDispute } from '@sixdigit/contract/operator/disputes.ts';

/** The page of a payment in Stripe's dashboard. Undefined if another provider took the payment. */
export function stripeAddress({
  provider,
  payment_intent_id,
}: Pick<OperatorDispute, 'provider' | 'payment_intent_id'>): string | undefined {
  if (!payment_intent_id || !provider.startsWith('stripe')) return undefined;
  const mode = provider === 'stripe_test' ? 'test/' : '';
  return `https://dashboard.stripe.com/${mode}payments/${encodeURIComponent(payment_intent_id)}`;
}
