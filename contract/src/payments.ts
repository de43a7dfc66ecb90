import { z } from 'zod';
import { BrandingBody } from './accounts/branding.ts';
import { cents, credits, id, oneLine, REQUIRED, time } from './field.ts';
import { EXPORT_DESCRIPTION, exportQuery, listOf, listQuery } from './list.ts';
import { route } from './route.ts';

export const CUSTOM_CREDITS = { min: 1, max: 100_000 } as const;
export const CREDITS_MESSAGE = 'Please enter a valid credit amount';

export const CreditPackage = z.object({
  credits,
  price_usd_cents: cents,
  price_display: z.string(),
  popular: z.boolean(),
  discount: z.number().int().meta({ description: 'percent' }),
});
export type CreditPackage = z.infer<typeof CreditPackage>;

export const PriceQuote = z.object({
  credits,
  price_usd_cents: cents,
  price_display: z.string(),
  base_price_cents: cents,
  savings_cents: cents,
  discount: z.number().int().meta({ description: 'percent' }),
});
export type PriceQuote = z.infer<typeof PriceQuote>;

export const PaymentMethod = z.object({
  id: z.string(),
  brand: z.string(),
  last4: z.string(),
  exp_month: z.number().int(),
  exp_year: z.number().int(),
});
export type PaymentMethod = z.infer<typeof PaymentMethod>;

export const TRANSACTION_TYPES = ['purchase', 'usage', 'refund'] as const;
/** The kind of a row in the history. The type is only the direction in which the credits moved. */
export const TRANSACTION_KINDS = [
  'purchase',
  'welcome',
  'usage',
  'refund',
  'card_refund',
  'dispute',
  'adjustment',
  'transfer',
] as const;
export const PAYMENT_STATUSES = ['succeeded', 'pending', 'failed', 'canceled'] as const;
export const PaymentTransaction = z.object({
  id,
  transaction_type: z.enum(TRANSACTION_TYPES),
  amount: credits.meta({ description: 'Credits, always positive, even for usage' }),
  kind: z.enum(TRANSACTION_KINDS).meta({
    description:
      'The kind of row. usage is a send, and refund its refund. card_refund and dispute have the type `usage` if money was returned to the card, and `refund` if it came back',
  }),
  price_display: z.string().nullable().meta({
    description: 'The amount of money; negative if it was returned to the card; null if no money moved',
  }),
  payment_status: z.enum(PAYMENT_STATUSES),
  description: z.string(),
  created_at: time,
  has_receipt: z.boolean(),
});
export type PaymentTransaction = z.infer<typeof PaymentTransaction>;

const wholeCredits = z
  .number({ error: (issue) => (issue.input === undefined ? REQUIRED : CREDITS_MESSAGE) })
  .int(CREDITS_MESSAGE)
  .min(CUSTOM_CREDITS.min, CREDITS_MESSAGE)
  .max(CUSTOM_CREDITS.max, 'At most 100,000 credits can be bought at once');
const price = z
  .number({
    error: (issue) => (issue.input === undefined ? REQUIRED : 'Price must be a whole number of cents'),
  })
  .int('Price must be a whole number of cents')
  .min(0, 'Price must be a whole number of cents');

/** An id of the card provider. */
const reference = (longest: number) =>
  z.string().min(1, REQUIRED).max(longest).refine(oneLine, 'Must be a single line');

const base = { tag: 'payments', auth: 'bearer' } as const;

const ONCE =
  'A purchase with an `Idempotency-Key` is never charged twice. For 24 hours, the same request gets the same response. After that, ' +
  'a request with this key charges nothing and gets 400 `idempotency_key_used` with the outcome of the earlier ' +
  '`purchase` (`status`, `credits`, `price_usd_cents`, `created_at`). If that purchase charged nothing (`failed`, `canceled`), ' +
  'the key can be used again.';

export const listPackages = route('GET /payments/packages/', {
  ...base,
  name: 'listPackages',
  summary: 'Credit bundles',
  reply: z.array(CreditPackage),
});
export const listPaymentMethods = route('GET /payments/methods/', {
  ...base,
  name: 'listPaymentMethods',
  summary: 'Saved cards',
  reply: z.object({ payment_methods: z.array(PaymentMethod) }),
  failures: ['payment_provider_unavailable', 'payment_provider_refused'],
});
export const deletePaymentMethod = route('DELETE /payments/methods/:id/', {
  ...base,
  name: 'deletePaymentMethod',
  stepUp: true,
  summary: 'Remove a saved card',
  failures: ['not_found', 'payment_provider_unavailable', 'payment_provider_refused'],
});
export const calculatePrice = route('POST /payments/calculate-price/', {
  ...base,
  name: 'calculatePrice',
  summary: 'Quote for any amount',
  body: z.object({ credits: wholeCredits }),
  reply: PriceQuote,
});
/**
 * The most that an account with a saved card may spend without a recent proof of identity: in one purchase, and in 24 hours.
 */
export const UNPROVEN_CENTS = 1_000;
export const UNPROVEN_CENTS_A_DAY = 2_000;
const OVER_LIMITS = `the account has a saved card and buys for more than $${UNPROVEN_CENTS / 100} at once or $${UNPROVEN_CENTS_A_DAY / 100} in 24 hours`;

/** The possible refusals of a purchase with any card. */
const REFUSED_PURCHASE = [
  'payments_not_configured',
  'payment_provider_unavailable',
  'payment_provider_refused',
  'idempotency_key_used',
  'idempotency_key_reused',
  'idempotency_key_in_flight',
] as const;
export const createIntent = route('POST /payments/create-intent/', {
  ...base,
  name: 'createIntent',
  stepUp: { when: `the card is saved, or if ${OVER_LIMITS}` },
  summary: 'Start a purchase with a new card',
  description: ONCE,
  body: z.object({
    credits: wholeCredits,
    price_usd_cents: price,
    save_payment_method: z.boolean().default(false),
  }),
  reply: z.object({
    success: z.boolean(),
    client_secret: z.string().optional(),
    error: z.string().optional(),
  }),
  failures: ['price_changed', 'card_declined', ...REFUSED_PURCHASE],
  idempotent: true,
});
export const createWithSaved = route('POST /payments/create-with-saved/', {
  ...base,
  name: 'createWithSaved',
  stepUp: { when: OVER_LIMITS },
  summary: 'Buy with a saved card',
  description: ONCE,
  body: z.object({
    credits: wholeCredits,
    price_usd_cents: price,
    payment_method_id: reference(200),
  }),
  reply: z.object({
    success: z.boolean(),
    requires_action: z.boolean().optional(),
    client_secret: z.string().optional(),
    error: z.string().optional(),
  }),
  failures: ['price_changed', 'card_declined', 'not_found', ...REFUSED_PURCHASE],
  idempotent: true,
});
export const confirmPayment = route('POST /payments/confirm/', {
  ...base,
  name: 'confirmPayment',
  summary: 'Credit a completed payment without waiting for the card provider’s event',
  body: z.object({ payment_intent_id: reference(200) }),
  reply: z.object({ success: z.boolean(), credits: credits.optional(), status: z.string() }),
  failures: [
    'not_found',
    'payments_not_configured',
    'payment_provider_unavailable',
    'payment_provider_refused',
  ],
});
export const AUTO_PURCHASE_STATES = [
  'off',
  'stopped_declined',
  'stopped_no_card',
  'on',
  'buying',
  'retrying',
  'paused_authentication',
  'paused_reversal',
  'limited',
] as const;
export const AutoPurchase = BrandingBody.pick({
  auto_purchase_enabled: true,
  auto_purchase_threshold: true,
  auto_purchase_amount: true,
}).extend({
  state: z.enum(AUTO_PURCHASE_STATES).meta({
    description:
      'stopped: the service has switched it off. paused: it continues after the next purchase. retrying: a payment failed. limited: the purchases of 24 hours are used up',
  }),
  next_at: time.nullable().meta({ description: 'The time of the next attempt while retrying or limited' }),
  price_display: z.string().meta({ description: 'The current price of the amount' }),
  card: PaymentMethod.nullable().meta({
    description: 'The saved card that is charged; null if there is none',
  }),
  is_card_known: z
    .boolean()
    .meta({ description: 'False if the card provider did not answer; `card` is null then' }),
  last_attempt: z
    .object({
      created_at: time,
      status: z.enum(PAYMENT_STATUSES),
      credits,
      price_display: z.string(),
      failure: z.string().nullable(),
    })
    .nullable(),
});
export type AutoPurchase = z.infer<typeof AutoPurchase>;
export const getAutoPurchase = route('GET /payments/auto-purchase/', {
  ...base,
  name: 'getAutoPurchase',
  summary: 'Auto-purchase: its settings, state, card and last attempt',
  reply: AutoPurchase,
});
export const updateAutoPurchase = route('PUT /payments/auto-purchase/', {
  ...base,
  name: 'updateAutoPurchase',
  stepUp: { when: 'a setting changes' },
  summary: 'Change auto-purchase',
  description: 'Turning it on requires a saved card and ends a pause.',
  body: BrandingBody.pick({
    auto_purchase_enabled: true,
    auto_purchase_threshold: true,
    auto_purchase_amount: true,
  }),
  reply: AutoPurchase,
  failures: ['payment_provider_unavailable', 'payment_provider_refused'],
});

/** Purchases: all rows except sends and their refunds, which are usage. */
export const TRANSACTION_GROUPS = ['all', 'purchases', 'usage'] as const;
export const listTransactions = route('GET /payments/history/', {
  ...base,
  name: 'listTransactions',
  summary: 'Payment history: ledger entries, and orders that added no credits',
  description:
    'A purchase appears at its first payment attempt. Starting one with a new card adds no row before that.',
  query: listQuery(
    ['created_at', 'transaction_type', 'amount', 'payment_status', 'description', 'price_usd_cents'],
    '-created_at',
  ).extend({
    type: z
      .enum(TRANSACTION_GROUPS, { error: `Type must be one of: ${TRANSACTION_GROUPS.join(', ')}.` })
      .default('all')
      .meta({
        description:
          'purchases: purchases, free credits, card refunds, disputes and adjustments. usage: sends and their refunds',
      }),
  }),
  reply: listOf(PaymentTransaction),
});
export const exportTransactions = route('GET /payments/history/export/', {
  tag: 'payments',
  auth: 'bearer',
  name: 'exportTransactions',
  summary: 'Payment history as CSV',
  description: EXPORT_DESCRIPTION,
  query: exportQuery(listTransactions.query),
  stream: 'text/csv',
  failures: ['list_timeout', 'export_limit_reached'],
});
export const Receipt = z.object({
  number: z.string(),
  issued_at: time,
  seller: z.string(),
  support_email: z.string(),
  buyer: z.string(),
  description: z.string(),
  credits,
  price_display: z.string(),
  price_usd_cents: cents,
  currency: z.literal('USD'),
  card: z.string().nullable(),
  payment_intent_id: z.string(),
  returned: z.array(z.object({ returned_at: time, price_display: z.string() })).meta({
    description: 'Refunds and disputed payments, oldest first',
  }),
  total_display: z.string().meta({ description: 'The price minus refunds' }),
});
export type Receipt = z.infer<typeof Receipt>;
export const getReceipt = route('GET /payments/history/:id/receipt/', {
  ...base,
  name: 'getReceipt',
  summary: 'Receipt of a purchase',
  reply: Receipt,
  failures: ['not_found'],
});
export const confirmSandboxPayment = route('POST /payments/sandbox/confirm/', {
  ...base,
  name: 'confirmSandboxPayment',
  summary: 'Simulate the card provider’s browser script, for test cards',
  body: z.object({
    client_secret: reference(300),
    card: z
      .object({
        number: z.string().trim().max(30),
        exp_month: z.number().int().min(1).max(12),
        exp_year: z.number().int().min(2000).max(2100),
        cvc: z.string().trim().max(4),
      })
      .optional(),
    authentication: z.enum(['completed', 'failed']).optional(),
  }),
  reply: z.object({
    payment_intent_id: z.string(),
    status: z.enum(['succeeded', 'requires_action', 'requires_payment_method', 'canceled']),
    error: z.string().optional(),
  }),
  failures: ['not_found'],
});
