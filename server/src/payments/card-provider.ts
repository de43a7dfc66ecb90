import type { DisputeStatus } from '@sixdigit/contract/operator/disputes.ts';
import type { PaymentMethod } from '@sixdigit/contract/payments.ts';
import { findFact, setFact } from '../platform/db/facts.ts';
import type { Sql } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import type { Needs } from '../platform/platform.ts';

/** The port to the card provider. The provider's state is authoritative for money, the ledger for credits. */
export interface CardProvider {
  readonly name: 'stripe' | 'stripe_test' | 'sandbox';
  /** Creates the account's customer; concurrent calls create one. */
  createCustomer(account: { account_id: string; email: string }): Promise<string>;
  /** Also deletes its saved cards. Succeeds if the customer no longer exists. */
  deleteCustomer(customer_id: string): Promise<void>;
  /** Idempotent per order. A declined card yields an intent with a `failure`. */
  createIntent(order: IntentOrder): Promise<Intent>;
  findIntent(id: string): Promise<Intent | undefined>;
  /** Finds the intent of an order after a lost response. */
  findIntentOfOrder(order: {
    id: string;
    customer_id: string;
    created_at: string;
  }): Promise<Intent | undefined>;
  /** Cancels an open intent. Returns the intent in its resulting state. */
  cancelIntent(id: string): Promise<Intent | undefined>;
  /** Newest first. */
  listCards(customer_id: string): Promise<PaymentMethod[]>;
  /** Returns false if the customer has no such card. */
  removeCard(customer_id: string, id: string): Promise<boolean>;
  /** Refunds the whole payment. Succeeds if it was already refunded. */
  refund(intent_id: string, attempt: number): Promise<void>;
  /** Refunds a part of a payment. Idempotent per `refund_id`. */
  refundPart(refund: { intent_id: string; cents: number; refund_id: string }): Promise<void>;
  /** All refunds and disputes of an intent, in any state. */
  reversalsOf(intent_id: string): Promise<Reversals>;
  /** Intents of orders that were created since `at` and have succeeded. */
  succeededSince(at: Date): AsyncIterable<Intent>;
  /** The ids of intents with a dispute that was opened since `at`. */
  disputedSince(at: Date): AsyncIterable<string>;
}

export interface IntentOrder {
  id: string;
  account_id: string;
  kind: 'bundle' | 'custom' | 'auto';
  credits: number;
  price_usd_cents: number;
  customer_id: string;
  /** A saved card to charge at once; null if the browser collects a new card. */
  method_id: string | null;
  saves_method: boolean;
}

export interface Intent {
  id: string;
  /** The provider's status. Only `succeeded` is credited. */
  status: string;
  client_secret: string | null;
  /** From the intent's metadata; null if this service did not create the intent. */
  order_id: string | null;
  account_id: string | null;
  /** null if unknown */
  credits: number | null;
  customer_id: string | null;
  amount_cents: number;
  /** ISO 4217, lower case */
  currency: string;
  card: { brand: string; last4: string } | null;
  /** The card's id if it was saved. */
  saved_method_id: string | null;
  /** Whether it has refunds or disputes. */
  is_reversed: boolean;
  /** Why the newest attempt failed. */
  failure: { code: string; message: string } | null;
}

/** `taken`: the money left this service's account; `returned`: it came back (a failed refund, a won dispute). */
export interface Reversal {
  id: string;
  kind: 'refund' | 'dispute';
  cents: number;
  state: 'taken' | 'returned';
}

/** A dispute as the provider describes it. An inquiry (`warning_…`) moves no money, so it is not a `Reversal`. */
export interface Dispute {
  id: string;
  cents: number;
  /** ISO 4217, lower case */
  currency: string;
  reason: string;
  status: DisputeStatus;
  evidence_due_at: string | null;
  has_evidence: boolean;
  opened_at: string;
}

export interface Reversals {
  reversals: readonly Reversal[];
  disputes: readonly Dispute[];
}

/** The provider did not respond, or its response leaves open whether it acted. */
export class ProviderUnavailable extends Error {
  constructor(cause: unknown) {
    super('The card provider did not answer', { cause });
    this.name = 'ProviderUnavailable';
  }
}

/** The provider definitively refused and charged nothing. */
export class ProviderRefused extends Error {
  /** The cause: the card, or the operator's setup (a wrong key, a missing permission, an invalid request). */
  readonly fault: 'card' | 'operator';
  /** The provider's error message. */
  readonly because: string;
  constructor(cause: unknown, { because, fault }: { because: string; fault: 'card' | 'operator' }) {
    super(`The card provider refused the request: ${because}`, { cause });
    this.name = 'ProviderRefused';
    this.because = because;
    this.fault = fault;
  }
}

/** The intent of an order, even if the response that contained its id was lost. */
export const findIntentFor = (
  cards: CardProvider,
  order: { id: string; intent_id: string | null; customer_id: string; created_at: string },
): Promise<Intent | undefined> =>
  order.intent_id === null ? cards.findIntentOfOrder(order) : cards.findIntent(order.intent_id);

/** Returns the provider's response. Throws `payment_provider_unavailable` or `payment_provider_refused`. */
export async function answered<T>(app: Needs<'log' | 'db'>, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw await refusalOf(app, error);
  }
}

/** The log and doctor show the provider's message to the operator. The customer sees only that the service is at fault. */
export async function refusalOf(app: Needs<'log' | 'db'>, error: unknown): Promise<unknown> {
  if (error instanceof ProviderUnavailable) {
    app.log.warn({ err: error }, 'the card provider did not respond');
    return new Failure('payment_provider_unavailable', {}, { cause: error });
  }
  if (!(error instanceof ProviderRefused)) return error;
  app.log.error({ err: error, because: error.because }, 'the card provider refused a request');
  await setFact(app.db, REFUSAL, error.because.slice(0, 500)).catch(() => undefined);
  return new Failure('payment_provider_refused', {}, { cause: error });
}

const REFUSAL = 'payment_provider_refusal';

/** The newest refusal of the last seven days without a later successful purchase. */
export async function latestRefusal(sql: Sql): Promise<{ because: string; at: string } | undefined> {
  const refusal = await findFact(sql, REFUSAL);
  if (!refusal) return undefined;
  const { matters } = await sql.one<{ matters: boolean }>(
    `select $1::timestamptz > clock_now() - interval '7 days'
       and not exists (select from orders where status = 'succeeded' and created_at > $1) as matters`,
    [refusal.changed_at],
  );
  return matters ? { because: refusal.value, at: refusal.changed_at } : undefined;
}
