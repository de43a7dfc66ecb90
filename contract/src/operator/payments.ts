import { z } from 'zod';
import { cents, credits, id, time } from '../field.ts';
import { listOf, listQuery } from '../list.ts';
import { PAYMENT_STATUSES } from '../payments.ts';
import { adminRoute, reason, supportRoute } from './operator.ts';

export const OperatorReversal = z.object({
  id: z.string(),
  kind: z.enum(['refund', 'dispute']),
  cents,
  state: z.enum(['taken', 'returned']),
  changed_at: time,
});
export const OperatorPurchase = z.object({
  id,
  account_id: id,
  email: z.string().nullable(),
  kind: z.enum(['bundle', 'custom', 'auto']),
  credits,
  credits_taken: credits.meta({ description: 'Credits removed after refunds and disputes' }),
  price_usd_cents: cents,
  refunded_cents: cents,
  status: z.enum(PAYMENT_STATUSES),
  failure: z.string().nullable(),
  payment_intent_id: z.string().nullable(),
  provider: z.string(),
  card: z.string().nullable(),
  reversals: z.array(OperatorReversal),
  created_at: time,
});
export type OperatorPurchase = z.infer<typeof OperatorPurchase>;

export const listPurchases = supportRoute('payments:read', 'GET /operator/payments/', {
  name: 'listPurchases',
  summary: 'Purchases of all accounts',
  description:
    'The search matches a part of an email address, or the id of an order, an account or a payment.',
  query: listQuery(['created_at', 'price_usd_cents'], '-created_at').extend({
    status: z
      .enum(['all', 'reversed', ...PAYMENT_STATUSES], {
        error: `Status must be one of: all, reversed, ${PAYMENT_STATUSES.join(', ')}.`,
      })
      .default('all'),
  }),
  reply: listOf(OperatorPurchase),
});
export const refundPurchase = adminRoute('payments:write', 'POST /operator/payments/:id/refund/', {
  name: 'refundPurchase',
  summary: 'Refund a purchase to the card, in full or in part',
  description:
    'The card provider returns the money, and the account loses the same share of the credits of this purchase. Credits already spent become debt. A repeated `refund_id` refunds once.',
  body: z.object({
    cents: z
      .number()
      .int('Amount must be a whole number of cents')
      .min(1, 'Amount must be at least 1 cent')
      .optional()
      .meta({ description: 'Default: the whole amount left to refund' }),
    refund_id: z.uuid('Must be a UUID').optional().meta({ description: 'Makes a retry safe' }),
    reason,
  }),
  reply: OperatorPurchase,
  failures: [
    'not_refundable',
    'payments_not_configured',
    'payment_provider_unavailable',
    'payment_provider_refused',
  ],
});

export const Reconciliation = z.object({
  provider: z.string(),
  compared_at: time.nullable(),
  result: z.string().nullable(),
  unmatched: z.array(
    z.object({
      payment_intent_id: z.string(),
      account_id: id,
      order_id: id,
      amount_cents: cents,
      currency: z.string(),
      reason: z.string(),
      found_at: time,
      refunded_at: time.nullable(),
      last_failure: z.string().nullable(),
    }),
  ),
  failing_events: z.array(
    z.object({
      id: z.string(),
      type: z.string(),
      tries: z.number().int(),
      last_failure: z.string().nullable(),
      received_at: time,
    }),
  ),
});
export type Reconciliation = z.infer<typeof Reconciliation>;
export const getReconciliation = supportRoute('payments:read', 'GET /operator/payments/reconciliation/', {
  name: 'getReconciliation',
  summary: 'Results of the daily comparison with the card provider',
  reply: Reconciliation,
});
