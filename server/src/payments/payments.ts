import { oneLine } from '#contract/field.ts';
import type { confirmPayment, PaymentMethod } from '#contract/payments.ts';
import type { Reply } from '#contract/route.ts';
import { Failure } from '../platform/http/failure.ts';
import type { Needs } from '../platform/platform.ts';
import type { CardProvider } from './cards.ts';
import { findCustomer } from './customers.ts';
import { settle } from './fulfil.ts';
import { findOrderOfIntent } from './orders.ts';
import { answered } from './provider-refusal.ts';

export type { CardProvider } from './cards.ts';
export { createCards } from './cards.ts';
export { latestRefusal } from './provider-refusal.ts';
export { unmatchedPayments } from './unmatched.ts';

/**
 * Payments: what was paid for is credited once and nothing else is, whatever arrives twice, late, out of order or never.
 * The card provider is the truth about money and is asked for it; the ledger is the truth about credits. An order stands
 * before its intent, `settle` is the one way from a paid intent to credits, and no network call holds a transaction open.
 */
export type PaymentsApp = Needs<'config' | 'db' | 'clock' | 'random' | 'log' | 'vault' | 'wakeups'> & {
  /** undefined: payments are not set up */
  cards: CardProvider | undefined;
};

/** Throws `payments_not_configured`. */
export function providerOf({ cards }: Pick<PaymentsApp, 'cards'>): CardProvider {
  if (!cards) throw new Failure('payments_not_configured');
  return cards;
}

/** Newest first; none where nobody takes cards. */
export async function savedCards(
  app: Pick<PaymentsApp, 'db' | 'log' | 'cards'>,
  account_id: string,
): Promise<PaymentMethod[]> {
  const { cards } = app;
  const customer = cards && (await findCustomer(app.db, cards, account_id));
  return customer ? answered(app, () => cards.listCards(customer.customer_id)) : [];
}

/** What auto-purchase needs to be switched on. Throws `payment_provider_unavailable`. */
export const hasSavedCard = async (
  app: Pick<PaymentsApp, 'db' | 'log' | 'cards'>,
  account_id: string,
): Promise<boolean> => (await savedCards(app, account_id)).length > 0;

/** Throws `not_found` for another account's card as for none. */
export async function removeCard(
  app: Pick<PaymentsApp, 'db' | 'log' | 'cards'>,
  account_id: string,
  id: string,
): Promise<void> {
  const { cards } = app;
  const customer = cards && oneLine(id) ? await findCustomer(app.db, cards, account_id) : undefined;
  const isRemoved =
    cards && customer && (await answered(app, () => cards.removeCard(customer.customer_id, id)));
  if (!isRemoved) throw new Failure('not_found');
}

/** Has a payment credited now: asks the provider, trusts nothing else. Throws `not_found` for what is not the account's. */
export async function confirm(
  app: PaymentsApp,
  account_id: string,
  intent_id: string,
): Promise<Reply<typeof confirmPayment>> {
  const cards = providerOf(app);
  const known = await findOrderOfIntent(app.db, account_id, intent_id);
  if (known?.status === 'succeeded') return { success: true, credits: known.credits, status: 'succeeded' };
  // An order whose intent is not noted yet is found by what the intent says of itself.
  const intent = await answered(app, () => cards.findIntent(intent_id));
  if (!intent || intent.account_id !== account_id) throw new Failure('not_found');
  const order = await settle(app, intent);
  if (!order) throw new Failure('not_found');
  if (order.status !== 'succeeded') return { success: false, status: intent.status };
  return { success: true, credits: order.credits, status: 'succeeded' };
}
