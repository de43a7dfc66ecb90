import type { PaymentMethod } from '#contract/payments.ts';
import type { Needs } from '../platform/platform.ts';
import { createSandboxCards } from './sandbox.ts';
import { createStripeCards } from './stripe.ts';

/** What a purchase needs of whoever charges cards. Its state is the truth about money; ours about credits. */
export interface CardProvider {
  readonly name: 'stripe' | 'stripe_test' | 'sandbox';
  /** The account's one customer, whatever is concurrent. */
  createCustomer(account: { account_id: string; email: string }): Promise<string>;
  /** With its saved cards; what is already gone is fine. */
  deleteCustomer(customer_id: string): Promise<void>;
  /** The same order gives the same intent, however often it is asked. A declined card is an intent with a `failure`. */
  createIntent(order: IntentOrder): Promise<Intent>;
  findIntent(id: string): Promise<Intent | undefined>;
  /** The intent of an order whose answer was lost. */
  findIntentOfOrder(order: {
    id: string;
    customer_id: string;
    created_at: string;
  }): Promise<Intent | undefined>;
  /** What can still be paid no longer can; answers the intent as it then is. */
  cancelIntent(id: string): Promise<Intent | undefined>;
  /** Newest first. */
  listCards(customer_id: string): Promise<PaymentMethod[]>;
  /** False where the customer has no such card. */
  removeCard(customer_id: string, id: string): Promise<boolean>;
  /** Gives all of a payment back; one that was refunded before is fine. */
  refund(intent_id: string, attempt: number): Promise<void>;
  /** Refunds and disputes of an intent, whatever became of them. */
  reversalsOf(intent_id: string): Promise<Reversal[]>;
  /** Orders' intents that succeeded and were made since. */
  succeededSince(at: Date): AsyncIterable<Intent>;
}

export interface IntentOrder {
  id: string;
  account_id: string;
  kind: 'bundle' | 'custom' | 'auto';
  credits: number;
  price_usd_cents: number;
  customer_id: string;
  /** A saved card to charge at once; null: entered in the browser. */
  method_id: string | null;
  saves_method: boolean;
}

export interface Intent {
  id: string;
  /** The provider's own word; `succeeded` is the only one that brings credit. */
  status: string;
  client_secret: string | null;
  /** As given when it was made; null where it is not one of ours. */
  order_id: string | null;
  account_id: string | null;
  /** null where it is not known */
  credits: number | null;
  customer_id: string | null;
  amount_cents: number;
  /** ISO 4217, lower case */
  currency: string;
  card: { brand: string; last4: string } | null;
  /** The card's id where it is saved for later. */
  saved_method_id: string | null;
  /** Refunds or disputes touch it. */
  isReversed: boolean;
  /** Why the newest attempt brought nothing. */
  failure: { code: string; message: string } | null;
}

/** `taken`: the money is away from us; `returned`: it came back (a failed refund, a dispute that was won). */
export interface Reversal {
  id: string;
  kind: 'refund' | 'dispute';
  cents: number;
  state: 'taken' | 'returned';
}

/** The provider gave no answer, or one that leaves open whether it acted. */
export class ProviderUnavailable extends Error {
  constructor(cause: unknown) {
    super('The card provider did not answer', { cause });
    this.name = 'ProviderUnavailable';
  }
}

/** The provider refused for certain, and charged nothing. */
export class ProviderRefused extends Error {
  /** Whose fault it is: the card's, or the operator's (a wrong key, a missing permission, a request that it does not accept). */
  readonly fault: 'card' | 'operator';
  /** The provider's own sentence. */
  readonly because: string;
  constructor(cause: unknown, { because, fault }: { because: string; fault: 'card' | 'operator' }) {
    super(`The card provider refused the request: ${because}`, { cause });
    this.name = 'ProviderRefused';
    this.because = because;
    this.fault = fault;
  }
}

/** The intent of an order, also where the answer that named it was lost. */
export const findIntentFor = (
  cards: CardProvider,
  order: { id: string; intent_id: string | null; customer_id: string; created_at: string },
): Promise<Intent | undefined> =>
  order.intent_id === null ? cards.findIntentOfOrder(order) : cards.findIntent(order.intent_id);

/** Stripe where keys are set, test cards in a sandbox, otherwise nobody. */
export function createCards(app: Needs<'config' | 'db' | 'random' | 'clock'>): CardProvider | undefined {
  if (app.config.stripe) return createStripeCards(app.config.stripe);
  return app.config.sandbox ? createSandboxCards(app) : undefined;
}
