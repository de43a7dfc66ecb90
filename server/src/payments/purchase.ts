import {
  type createIntent,
  type createWithSaved,
  UNPROVEN_CENTS,
  UNPROVEN_CENTS_A_DAY,
} from '@sixdigit/contract/payments.ts';
import type { Parsed, Reply } from '@sixdigit/contract/route.ts';
import { record } from '../audit/audit.ts';
import { lockBalance } from '../credits/credits.ts';
import type { Tx } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import type { Origin } from '../platform/http/serve.ts';
import {
  answered,
  type CardProvider,
  findIntentFor,
  type Intent,
  ProviderRefused,
  refusalOf,
} from './card-provider.ts';
import { ensureCustomer, findCustomer, hasSavedMethod } from './customers.ts';
import { describe, failOrder, settle } from './fulfil.ts';
import {
  claimRequest,
  countUnpaid,
  findOrderOfRequest,
  findUnresolvedOrder,
  getOrder,
  insertOrder,
  type NewOrder,
  type Order,
  setRequestKey,
  sumOfOwnPurchases,
} from './orders.ts';
import type { PaymentsApp } from './payments.ts';
import { agreedQuote, displayPrice, kindOf } from './pricing.ts';

type App = PaymentsApp;

/** Unpaid purchases per hour. Without a limit, thieves could use the payment form to test stolen card numbers. */
const MOST_UNPAID = 60;

export interface PurchaseRequest<R extends typeof createIntent | typeof createWithSaved> {
  account_id: string;
  person_id: string;
  origin: Origin;
  /** the session has given a proof of identity in the last 15 minutes */
  is_proven: boolean;
  body: Parsed<R, 'body'>;
  /** SHA-256 of the request's Idempotency-Key, which identifies a retry of the same purchase */
  request_key: Buffer | null;
}

type Buyer = Pick<PurchaseRequest<typeof createIntent>, 'person_id' | 'origin' | 'is_proven'>;

/** Creates an intent that the browser pays with a new card. Charges nothing. */
export async function buyWithNewCard(
  app: App,
  cards: CardProvider,
  purchase: PurchaseRequest<typeof createIntent>,
): Promise<Reply<typeof createIntent>> {
  const { credits, price_usd_cents } = agreedQuote(app.prices.current(), purchase.body);
  const { customer_id } = await answered(app, () => ensureCustomer(app, cards, purchase.account_id));
  const saves_method = purchase.body.save_payment_method;
  const order = newOrder(app, cards, purchase, {
    credits,
    price_usd_cents,
    customer_id,
    method_id: null,
    saves_method,
  });
  const { client_secret } = await intentFor(app, cards, order, purchase);
  if (client_secret === null) throw new Error('An intent without a client secret');
  return { success: true, client_secret };
}

/**
 * Charges a saved card of the account. Throws `not_found` for any other card and `card_declined` with the card provider's
 * message. If the bank requires authentication, the browser continues with the client secret.
 */
export async function buyWithSavedCard(
  app: App,
  cards: CardProvider,
  purchase: PurchaseRequest<typeof createWithSaved>,
): Promise<Reply<typeof createWithSaved>> {
  const { credits, price_usd_cents } = agreedQuote(app.prices.current(), purchase.body);
  const customer = await findCustomer(app.db, cards, purchase.account_id);
  if (!customer) throw new Failure('not_found');
  const { customer_id } = customer;
  const own = await answered(app, () => cards.listCards(customer_id));
  const method = own.find(({ id }) => id === purchase.body.payment_method_id);
  if (!method) throw new Failure('not_found');
  const chosen = { credits, price_usd_cents, customer_id, method_id: method.id, saves_method: false };
  const intent = await intentFor(app, cards, newOrder(app, cards, purchase, chosen), purchase);
  if (intent.status === 'succeeded') return { success: true };
  if (intent.status === 'requires_action' && intent.client_secret !== null)
    return { success: false, requires_action: true, client_secret: intent.client_secret };
  if (intent.failure) throw new Failure('card_declined', { error: intent.failure.message });
  return {
    success: false,
    error: 'Your payment is still being processed. The credits are added as soon as it completes.',
  };
}

const newOrder = (
  app: App,
  cards: CardProvider,
  { account_id, request_key }: Pick<NewOrder, 'account_id' | 'request_key'>,
  chosen: Pick<NewOrder, 'credits' | 'price_usd_cents' | 'customer_id' | 'method_id' | 'saves_method'>,
): NewOrder => ({
  id: app.random.uuid(),
  account_id,
  kind: kindOf(app.prices.current(), chosen.credits),
  provider: cards.name,
  request_key,
  ...chosen,
});

/**
 * The intent of a purchase. A retried request receives the intent of the same order. An order requests an intent only while it
 * has none and the provider still honors its idempotency key; after that, the intent is looked up.
 */
async function intentFor(app: App, cards: CardProvider, wanted: NewOrder, by: Buyer): Promise<Intent> {
  await refuseOldKey(app, cards, wanted);
  const order = await openOrder(app, wanted, by);
  if (!(await claimRequest(app.db, order.id))) {
    const known = await answered(app, () => lookUp(app, cards, order));
    if (known) return known;
    throw new Failure('payment_provider_unavailable');
  }
  try {
    const intent = await cards.createIntent(order);
    await settle(app, intent);
    return intent;
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw await refusalOf(app, error);
    await failOrder(app, order, { code: 'refused', message: 'The payment could not be started.' });
    if (error.fault === 'card')
      throw new Failure('card_declined', { error: error.because }, { cause: error });
    throw await refusalOf(app, error);
  }
}

/**
 * Responds to an Idempotency-Key older than 24 hours with the outcome of its order. If the order charged nothing, the key may be
 * used for a new purchase. Throws `idempotency_key_used`.
 */
async function refuseOldKey(app: App, cards: CardProvider, wanted: NewOrder): Promise<void> {
  const earlier = wanted.request_key && (await findOrderOfRequest(app.db, wanted));
  if (!earlier || !(earlier.is_old || earlier.status === 'failed')) return;
  await answered(app, () => lookUp(app, cards, earlier));
  const { status, credits, price_usd_cents, created_at } = await getOrder(app.db, earlier.id);
  if (status === 'failed' || status === 'canceled' || !earlier.is_old) return;
  throw new Failure('idempotency_key_used', {
    purchase: { status, credits, price_usd_cents, created_at },
  });
}

/** Applies the provider's state to an order. An order that the provider never received fails. */
async function lookUp(app: App, cards: CardProvider, order: Order): Promise<Intent | undefined> {
  const intent = await findIntentFor(cards, order);
  if (intent) await settle(app, intent);
  else if (order.intent_id === null)
    await failOrder(app, order, {
      code: 'never_received',
      message: 'The payment did not reach the card provider; nothing was charged.',
    });
  return intent;
}

/**
 * Opens the order of a purchase, or returns the order of an identical request whose response was lost, so that a retry cannot
 * charge twice. Throws `idempotency_key_reused` if the earlier request differed.
 */
function openOrder(app: App, wanted: NewOrder, { person_id, origin, is_proven }: Buyer): Promise<Order> {
  const { account_id, request_key } = wanted;
  return app.db.transaction(async (tx) => {
    await lockBalance(tx, account_id);
    const same = request_key && (await findOrderOfRequest(tx, wanted));
    if (same && (same.status === 'pending' || same.status === 'succeeded')) {
      if (!isSamePurchase(same, wanted)) throw new Failure('idempotency_key_reused');
      return same;
    }
    if (same) await setRequestKey(tx, same.id, null);
    const unresolved = wanted.method_id === null ? undefined : await findUnresolvedOrder(tx, wanted);
    if (!unresolved) {
      if ((await countUnpaid(tx, account_id)) >= MOST_UNPAID)
        throw new Failure('too_many_requests', { retry_after: 3_600 });
      if (!is_proven) await refuseUnproven(tx, wanted);
      const order = await insertOrder(tx, wanted);
      const { credits, price_usd_cents, method_id } = order;
      await record(tx, app, {
        account_id,
        person_id,
        actor: 'owner',
        origin,
        action: 'purchase.start',
        subject: describe(order),
        after: { credits, price: displayPrice(price_usd_cents), with_saved_card: method_id !== null },
      });
      return order;
    }
    if (request_key) await setRequestKey(tx, unresolved.id, request_key);
    return unresolved;
  });
}

/**
 * A saved card can be charged without its owner, so larger amounts need a proof of identity. The browser could use a saved card
 * for any intent of the account. Call it under the balance's lock.
 */
async function refuseUnproven(
  tx: Tx,
  order: Pick<NewOrder, 'account_id' | 'provider' | 'price_usd_cents'>,
): Promise<void> {
  const { account_id, price_usd_cents } = order;
  if (!(await hasSavedMethod(tx, order))) return;
  const isLittle =
    price_usd_cents <= UNPROVEN_CENTS &&
    (await sumOfOwnPurchases(tx, account_id)) + price_usd_cents <= UNPROVEN_CENTS_A_DAY;
  if (!isLittle) throw new Failure('step_up_required');
}

const isSamePurchase = (one: Order, other: NewOrder): boolean =>
  one.credits === other.credits &&
  one.price_usd_cents === other.price_usd_cents &&
  one.method_id === other.method_id &&
  one.saves_method === other.saves_method;
