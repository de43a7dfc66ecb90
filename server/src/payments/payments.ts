/**
 * Payments: each payment is credited exactly once, even if events are repeated, late, out of order or lost. The card provider is
 * authoritative for money, the ledger for credits. An order is stored before its intent is created, `settle` is the only way from
 * a paid intent to credits, and no transaction stays open during a network call.
 */

import { oneLine } from '@sixdigit/contract/field.ts';
import type { confirmPayment, PaymentMethod } from '@sixdigit/contract/payments.ts';
import type { Reply } from '@sixdigit/contract/route.ts';
import { byOwner, record } from '../audit/audit.ts';
import type { PriceBook } from '../credits/prices/prices.ts';
import { Failure } from '../platform/http/failure.ts';
import type { UserCaller } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { answered, type CardProvider } from './card-provider.ts';
import { cardText } from './card-text.ts';
import { findCustomer } from './customers.ts';
import { settle } from './fulfil.ts';
import { findOrderOfIntent } from './orders.ts';
import { createSandboxCards } from './sandbox.ts';
import { createStripeCards } from './stripe.ts';

export {
  accountsOfOrder,
  getPurchase,
  purchaseTotals,
  selectFailingEvents,
  selectPurchases,
  selectUnmatched,
} from './all-orders.ts';
export type { CardProvider } from './card-provider.ts';
export { latestRefusal } from './card-provider.ts';
export { openDisputes, selectDisputes } from './disputes.ts';
export { receiptNumber, transactionsOf } from './history.ts';
export { lockOrder } from './orders.ts';
export { openRefund, refundable, refundOrder } from './reversals.ts';
export { stripeClient } from './stripe.ts';
export { unmatchedGauges, unmatchedPayments } from './unmatched.ts';

export type PaymentsApp = Needs<'config' | 'db' | 'clock' | 'random' | 'log' | 'vault' | 'wakeups'> & {
  /** undefined if payments are not configured */
  cards: CardProvider | undefined;
  prices: Pick<PriceBook, 'current'>;
};

/** Throws `payments_not_configured`. */
export function providerOf({ cards }: Pick<PaymentsApp, 'cards'>): CardProvider {
  if (!cards) throw new Failure('payments_not_configured');
  return cards;
}

/** Newest first; empty if payments are not configured. */
export async function savedCards(
  app: Pick<PaymentsApp, 'db' | 'log' | 'cards'>,
  account_id: string,
): Promise<PaymentMethod[]> {
  const { cards } = app;
  const customer = cards && (await findCustomer(app.db, cards, account_id));
  return customer ? answered(app, () => cards.listCards(customer.customer_id)) : [];
}

/** Whether auto-purchase can be switched on. Throws `payment_provider_unavailable`. */
export const hasSavedCard = async (
  app: Pick<PaymentsApp, 'db' | 'log' | 'cards'>,
  account_id: string,
): Promise<boolean> => (await savedCards(app, account_id)).length > 0;

/** Throws `not_found` if the card does not exist or belongs to another account. */
export async function removeCard(
  app: Pick<PaymentsApp, 'db' | 'log' | 'random' | 'cards'>,
  caller: UserCaller,
  id: string,
): Promise<void> {
  const { cards } = app;
  const { account_id } = caller;
  const customer = cards && oneLine(id) ? await findCustomer(app.db, cards, account_id) : undefined;
  if (!cards || !customer) throw new Failure('not_found');
  const { customer_id } = customer;
  const card = (await answered(app, () => cards.listCards(customer_id))).find((one) => one.id === id);
  if (!(await answered(app, () => cards.removeCard(customer_id, id)))) throw new Failure('not_found');
  const subject = card ? cardText(card) : '';
  await app.db.transaction((tx) => record(tx, app, { ...byOwner(caller), action: 'card.remove', subject }));
}

/**
 * Credits a payment at once, based only on the provider's state. Throws `not_found` if the intent does not belong to the
 * account.
 */
export async function confirm(
  app: PaymentsApp,
  account_id: string,
  intent_id: string,
): Promise<Reply<typeof confirmPayment>> {
  const cards = providerOf(app);
  const known = await findOrderOfIntent(app.db, account_id, intent_id);
  if (known?.status === 'succeeded') return { success: true, credits: known.credits, status: 'succeeded' };
  // If the order does not have its intent yet, the intent's metadata names the order.
  const intent = await answered(app, () => cards.findIntent(intent_id));
  if (!intent || intent.account_id !== account_id) throw new Failure('not_found');
  const order = await settle(app, intent);
  if (!order) throw new Failure('not_found');
  if (order.status !== 'succeeded') return { success: false, status: intent.status };
  return { success: true, credits: order.credits, status: 'succeeded' };
}

/** Stripe if keys are set, test cards in a sandbox, otherwise undefined. */
export function createCards(app: Needs<'config' | 'db' | 'random' | 'clock'>): CardProvider | undefined {
  if (app.config.stripe) return createStripeCards(app.config.stripe);
  return app.config.sandbox ? createSandboxCards(app) : undefined;
}
