import type { createIntent, createWithSaved } from '#contract/payments.ts';
import type { Parsed, Reply } from '#contract/route.ts';
import { lockBalance } from '../credits/credits.ts';
import type { Needs } from '../ground.ts';
import { Failure } from '../http/failure.ts';
import { type CardProvider, type Intent, ProviderRefused, ProviderSilent } from './cards.ts';
import { ensureCustomer, findCustomer } from './customers.ts';
import { failOrder, settle } from './fulfil.ts';
import {
  countUnpaid,
  findOrderOfRequest,
  findUnresolvedOrder,
  insertOrder,
  type NewOrder,
  noteAsked,
  type Order,
  setRequestKey,
} from './orders.ts';
import { agreedQuote, kindOf } from './pricing.ts';

type App = Needs<'config' | 'db' | 'random' | 'log' | 'vault' | 'pulse'>;

/** Within an hour: a payment form without a limit is where stolen card numbers are tried out. */
const MOST_UNPAID = 60;

export interface Purchase<R extends typeof createIntent | typeof createWithSaved> {
  account_id: string;
  body: Parsed<R, 'body'>;
  /** SHA-256 of the request's Idempotency-Key: what makes a repetition the same purchase */
  request_key: Buffer | null;
}

/** An intent for the browser to pay with a new card. Nothing is charged here. */
export async function buyWithNewCard(
  app: App,
  cards: CardProvider,
  { account_id, body, request_key }: Purchase<typeof createIntent>,
): Promise<Reply<typeof createIntent>> {
  const { credits, price_usd_cents } = agreedQuote(body);
  const { customer_id } = await answered(app, () => ensureCustomer(app, cards, account_id));
  const order = await openOrder(app, {
    id: app.random.uuid(),
    account_id,
    kind: kindOf(credits),
    credits,
    price_usd_cents,
    provider: cards.name,
    customer_id,
    method_id: null,
    saves_method: body.save_payment_method,
    request_key,
  });
  const { client_secret } = await requestIntent(app, cards, order);
  if (client_secret === null) throw new Error('An intent without a client secret');
  return { success: true, client_secret };
}

/**
 * Charges a saved card of the account. Throws `not_found` for any other card, `card_declined` with the card provider's
 * sentence. Where the bank asks its customer, the browser goes on with the client secret.
 */
export async function buyWithSavedCard(
  app: App,
  cards: CardProvider,
  { account_id, body, request_key }: Purchase<typeof createWithSaved>,
): Promise<Reply<typeof createWithSaved>> {
  const { credits, price_usd_cents } = agreedQuote(body);
  const customer = await findCustomer(app.db, cards, account_id);
  if (!customer) throw new Failure('not_found');
  const { customer_id } = customer;
  const own = await answered(app, () => cards.listCards(customer_id));
  const method = own.find(({ id }) => id === body.payment_method_id);
  if (!method) throw new Failure('not_found');
  const order = await openOrder(app, {
    id: app.random.uuid(),
    account_id,
    kind: kindOf(credits),
    credits,
    price_usd_cents,
    provider: cards.name,
    customer_id,
    method_id: method.id,
    saves_method: false,
    request_key,
  });
  const intent = await requestIntent(app, cards, order);
  if (intent.status === 'succeeded') return { success: true };
  if (intent.status === 'requires_action' && intent.client_secret !== null)
    return { success: false, requires_action: true, client_secret: intent.client_secret };
  if (intent.failure) throw new Failure('card_declined', { error: intent.failure.message });
  return {
    success: false,
    error: 'Your payment is still being processed. The credits are added as soon as it completes.',
  };
}

/**
 * The order of a purchase, new or, where an earlier request for the very same one got no answer, that one: asking again
 * can then not charge twice.
 */
function openOrder(app: App, wanted: NewOrder): Promise<Order> {
  const { account_id, request_key } = wanted;
  return app.db.transaction(async (tx) => {
    await lockBalance(tx, account_id);
    const same = request_key && (await findOrderOfRequest(tx, account_id, request_key));
    if (same && (same.status === 'pending' || same.status === 'succeeded')) return same;
    if (same) await setRequestKey(tx, same.id, null);
    const unresolved = wanted.method_id === null ? undefined : await findUnresolvedOrder(tx, wanted);
    if (!unresolved) {
      if ((await countUnpaid(tx, account_id)) >= MOST_UNPAID)
        throw new Failure('too_many_requests', { retry_after: 3_600 });
      return insertOrder(tx, wanted);
    }
    if (request_key) await setRequestKey(tx, unresolved.id, request_key);
    await noteAsked(tx, unresolved.id);
    return unresolved;
  });
}

async function requestIntent(app: App, cards: CardProvider, order: Order): Promise<Intent> {
  try {
    const intent = await cards.createIntent(order);
    await settle(app, intent);
    return intent;
  } catch (error) {
    if (error instanceof ProviderRefused)
      await failOrder(app, order, { code: 'refused', message: 'The payment could not be started.' });
    throw refusalOf(app, error);
  }
}

/** What the provider answers, or `payment_provider_unavailable`. */
export async function answered<T>(app: Needs<'log'>, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw refusalOf(app, error);
  }
}

function refusalOf(app: Needs<'log'>, error: unknown): unknown {
  if (!(error instanceof ProviderRefused) && !(error instanceof ProviderSilent)) return error;
  app.log[error instanceof ProviderRefused ? 'error' : 'warn']({ err: error }, 'card provider');
  return new Failure('payment_provider_unavailable', {}, { cause: error });
}
