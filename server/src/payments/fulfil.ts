import { CUSTOM_CREDITS } from '@sixdigit/contract/payments.ts';
import { DEFAULT_PRICES } from '@sixdigit/contract/prices.ts';
import { record } from '../audit/audit.ts';
import { deposit, lockBalance } from '../credits/credits.ts';
import { everyPriceList } from '../credits/prices/prices.ts';
import { notifyAccount } from '../messaging/notices/notices.ts';
import type { Tx } from '../platform/db/sql.ts';
import type { Needs } from '../platform/platform.ts';
import { isUuid } from '../platform/security/random.ts';
import { forgetFailures, noteAutoFailure } from './auto-failures.ts';
import type { CardProvider, Intent } from './card-provider.ts';
import { cardText } from './card-text.ts';
import { rememberMethod } from './customers.ts';
import { findOrder, insertLostOrder, lockOrder, markStatus, markSucceeded, type Order } from './orders.ts';
import { CURRENCY, displayPrice, isPriceOf, kindOf, quote } from './pricing.ts';
import { noteUnmatched } from './unmatched.ts';

type App = Needs<'config' | 'db' | 'random' | 'log' | 'vault' | 'wakeups'> & {
  cards: Pick<CardProvider, 'name'> | undefined;
};

/**
 * Applies the provider's state of an intent to its order. Only this function turns payments into credits; events, `confirm`,
 * saved cards, auto-purchase and the reconciler call it. Calls may repeat, overlap and arrive in any order. A payment that
 * cannot be credited is recorded, and a job refunds it. Returns the resulting order, or undefined if the intent belongs to
 * another order. The intent must come from the provider.
 */
export async function settle(app: App, intent: Intent): Promise<Order | undefined> {
  const { order_id } = intent;
  if (order_id === null || !isUuid(order_id)) return undefined;
  const settled = await app.db.transaction(async (tx) => {
    const found = (await findOrder(tx, order_id)) ?? (await restoreOrder(tx, app, intent));
    if (!found || found.account_id !== intent.account_id) return undefined;
    await lockBalance(tx, found.account_id);
    const order = await lockOrder(tx, found.id);
    if (order.intent_id !== null && order.intent_id !== intent.id) {
      app.log.error({ order_id, intent_id: intent.id }, 'a second payment intent for one order');
      if (intent.status === 'succeeded')
        await noteUnmatched(tx, app, order, { intent, reason: 'second_intent' });
      return undefined;
    }
    await (intent.status === 'succeeded' ? fulfil(tx, app, order, intent) : note(tx, app, order, intent));
    return lockOrder(tx, order.id);
  });
  app.wakeups.notify('notices');
  return settled;
}

/** Deposits the paid credits once: the ledger rejects a second `purchase:{intent}`. */
async function fulfil(tx: Tx, app: App, order: Order, intent: Intent): Promise<void> {
  const reason =
    intent.currency !== CURRENCY
      ? 'other_currency'
      : intent.amount_cents !== order.price_usd_cents
        ? 'other_amount'
        : undefined;
  if (reason !== undefined) {
    await noteUnmatched(tx, app, order, { intent, reason });
    await markStatus(tx, order, {
      status: 'failed',
      failure: 'The payment was not as ordered and is refunded.',
      intent_id: intent.id,
      isOver: true,
      isTried: true,
    });
    return;
  }
  const isNew = await deposit(tx, {
    account_id: order.account_id,
    id: app.random.uuid(),
    kind: 'purchase',
    reference: `purchase:${intent.id}`,
    credits: order.credits,
    description: describe(order),
  });
  if (!isNew) return;
  await markSucceeded(tx, order.id, { intent_id: intent.id, card: intent.card });
  const actor = order.kind === 'auto' ? 'system' : 'owner';
  const own = { account_id: order.account_id, actor } as const;
  const card = intent.card ? cardText(intent.card) : null;
  const price = displayPrice(order.price_usd_cents);
  await record(tx, app, {
    ...own,
    action: 'purchase.complete',
    subject: describe(order),
    after: { credits: order.credits, price, card },
  });
  if (intent.saved_method_id !== null && order.saves_method)
    await record(tx, app, { ...own, action: 'card.save', subject: card ?? '' });
  const method_id = intent.saved_method_id ?? order.method_id;
  if (method_id !== null) await rememberMethod(tx, { ...order, method_id });
  await forgetFailures(tx, order.account_id);
  if (order.kind !== 'auto' && order.method_id !== null)
    await notifyAccount(tx, app, order.account_id, {
      kind: 'savedCardCharged',
      credits: order.credits,
      price,
      card,
      creditsUrl: `${app.config.publicUrl}/credits`,
    });
  if (order.kind === 'auto') {
    const { credits } = await lockBalance(tx, order.account_id);
    await notifyAccount(tx, app, order.account_id, {
      kind: 'autoPurchaseSucceeded',
      credits: order.credits,
      price: displayPrice(order.price_usd_cents),
      balance: credits,
      creditsUrl: `${app.config.publicUrl}/credits`,
    });
  }
}

/**
 * Recreates an order that the database lost, for example after a restore from a backup, from the intent's data. If no price
 * list has the payment's amount and currency, the order gets the present price, so that the payment differs from it and is
 * refunded.
 */
async function restoreOrder(tx: Tx, app: App, intent: Intent): Promise<Order | undefined> {
  const { account_id, order_id, credits, amount_cents, currency } = intent;
  if (intent.status !== 'succeeded' || !app.cards || !order_id || !account_id || !credits) return undefined;
  if (!isUuid(account_id) || !isAmount(credits)) return undefined;
  const lists = await everyPriceList(tx);
  const present = lists.at(-1) ?? DEFAULT_PRICES;
  const isRight = currency === CURRENCY && isPriceOf(lists, { credits, price_usd_cents: amount_cents });
  const order = await insertLostOrder(tx, {
    id: order_id,
    account_id,
    kind: kindOf(present, credits),
    credits,
    price_usd_cents: isRight ? amount_cents : quote(present, credits).price_usd_cents,
    provider: app.cards.name,
    customer_id: intent.customer_id ?? '',
    method_id: null,
    saves_method: false,
    request_key: null,
  });
  if (order)
    app.log.error({ order_id, intent_id: intent.id }, 'the order of a payment was lost and is restored');
  return order;
}

/** An intent's statuses before any attempt to pay. After a declined attempt it returns to them, but has a `failure`. */
const UNTRIED: readonly string[] = ['requires_payment_method', 'canceled'];

const isAmount = (credits: number): boolean =>
  Number.isInteger(credits) && credits >= CUSTOM_CREDITS.min && credits <= CUSTOM_CREDITS.max;

/** Records an unsuccessful status. A failed order can still succeed while its intent is open, except an auto-purchase. */
async function note(tx: Tx, app: App, order: Order, intent: Intent): Promise<void> {
  const isOver = intent.status === 'canceled';
  const hasFailed = intent.failure !== null && (isOver || intent.status === 'requires_payment_method');
  const staysFailed = order.status === 'failed' && (isOver || order.kind === 'auto');
  const status = hasFailed || staysFailed ? 'failed' : isOver ? 'canceled' : 'pending';
  const failure = intent.failure?.message ?? (staysFailed ? order.failure : null);
  const isTried = intent.failure !== null || !UNTRIED.includes(intent.status);
  await markStatus(tx, order, { status, failure, intent_id: intent.id, isOver, isTried });
  if (status === 'failed' && order.status === 'pending') await recordFailed(tx, app, order, failure);
  if (order.kind === 'auto' && order.status === 'pending' && status === 'failed' && intent.failure)
    await noteAutoFailure(tx, app, order, intent.failure);
}

/** Ends an order that the provider refused or never received. Nothing was charged. */
export async function failOrder(
  app: App,
  { id, account_id }: Order,
  failure: { code: string; message: string },
): Promise<void> {
  await app.db.transaction(async (tx) => {
    await lockBalance(tx, account_id);
    const order = await lockOrder(tx, id);
    if (order.status !== 'pending') return;
    await markStatus(tx, order, {
      status: 'failed',
      failure: failure.message,
      intent_id: null,
      isOver: true,
    });
    await recordFailed(tx, app, order, failure.message);
    if (order.kind === 'auto') await noteAutoFailure(tx, app, order, failure);
  });
  app.wakeups.notify('notices');
}

const recordFailed = (tx: Tx, app: App, order: Order, reason: string | null): Promise<void> =>
  record(tx, app, {
    account_id: order.account_id,
    actor: order.kind === 'auto' ? 'system' : 'owner',
    action: 'purchase.fail',
    subject: describe(order),
    after: { price: displayPrice(order.price_usd_cents), reason },
  });

const KINDS = { bundle: 'Credit bundle', custom: 'Custom amount', auto: 'Auto-purchase' };

export const describe = ({ kind, credits }: Pick<Order, 'kind' | 'credits'>): string =>
  `${KINDS[kind]}: ${credits.toLocaleString('en-US')} credits`;
