import type { PaymentMethod } from '@sixdigit/contract/payments.ts';
import { lockBalance } from '../credits/credits.ts';
import { notifyAccount } from '../messaging/notices/notices.ts';
import { type Sql, type Tx, violates } from '../platform/db/sql.ts';
import { switchOff } from './auto-failures.ts';
import { type CardProvider, ProviderRefused, ProviderUnavailable, refusalOf } from './card-provider.ts';
import { type Customer, findCustomer } from './customers.ts';
import { failOrder, settle } from './fulfil.ts';
import { claimRequest, insertOrder, ORDER, type Order } from './orders.ts';
import type { PaymentsApp } from './payments.ts';
import { quote } from './pricing.ts';

type App = PaymentsApp;

const BATCH_SIZE = 20;

/**
 * Buys credits for accounts below their threshold: off-session, with the last used card, and with at most one attempt in flight
 * per account over all processes. Returns true if more may be due, unless the provider answers for none of these.
 */
export async function autoPurchase(app: App, cards: CardProvider): Promise<boolean> {
  const due = await accountsInNeed(app.db, app.config.autoPurchasesPerDay);
  let isAnswered = false;
  for (const { account_id } of due) if (await buyFor(app, cards, account_id)) isAnswered = true;
  for (const order of await claimUnanswered(app.db, cards.name)) await charge(app, cards, order);
  return isAnswered && due.length === BATCH_SIZE;
}

/** Returns false if the provider did not list the cards. The account stays due. */
async function buyFor(app: App, cards: CardProvider, account_id: string): Promise<boolean> {
  const customer = await findCustomer(app.db, cards, account_id);
  const method_id = customer && (await methodOf(app, cards, customer));
  if (method_id === UNAVAILABLE) return false;
  if (!customer || !method_id) {
    await giveUpWithoutCard(app, account_id);
    return true;
  }
  const order = await openAutoOrder(app, cards, { account_id, method_id, customer_id: customer.customer_id });
  if (order) await charge(app, cards, order);
  return true;
}

const UNAVAILABLE = Symbol('unavailable');

/** The card used last, or else the newest. */
export const cardToCharge = (
  saved: readonly PaymentMethod[],
  last_method_id: string | null,
): PaymentMethod | undefined => saved.find(({ id }) => id === last_method_id) ?? saved[0];

async function methodOf(
  app: App,
  cards: CardProvider,
  { customer_id, last_method_id }: Customer,
): Promise<string | undefined | typeof UNAVAILABLE> {
  try {
    const saved = await cards.listCards(customer_id);
    return cardToCharge(saved, last_method_id)?.id;
  } catch (error) {
    app.log.warn({ err: error }, 'auto-purchase failed, retrying later');
    return UNAVAILABLE;
  }
}

/** Opens an order if one is due. Rechecks under the balance lock. */
async function openAutoOrder(
  app: App,
  cards: CardProvider,
  { account_id, method_id, customer_id }: { account_id: string; method_id: string; customer_id: string },
): Promise<Order | undefined> {
  try {
    return await app.db.transaction(async (tx) => {
      await lockBalance(tx, account_id);
      const need = await findNeed(tx, account_id, app.config.autoPurchasesPerDay);
      if (!need) return undefined;
      const { credits, price_usd_cents } = quote(app.prices.current(), need.amount);
      return insertOrder(tx, {
        id: app.random.uuid(),
        account_id,
        kind: 'auto',
        credits,
        price_usd_cents,
        provider: cards.name,
        customer_id,
        method_id,
        saves_method: false,
        request_key: null,
      });
    });
  } catch (error) {
    if (violates(error, 'one_auto_purchase_in_flight')) return undefined;
    throw error;
  }
}

/** A lost response leaves the order pending. The same request is retried, and later the reconciler looks it up. */
async function charge(app: App, cards: CardProvider, order: Order): Promise<void> {
  if (!(await claimRequest(app.db, order.id))) return;
  try {
    await settle(app, await cards.createIntent(order));
  } catch (error) {
    if (error instanceof ProviderRefused) {
      await refusalOf(app, error);
      await failOrder(
        app,
        order,
        error.fault === 'card'
          ? { code: 'refused', message: 'Your saved card could not be charged.' }
          : { code: 'provider_refused', message: 'We could not start the payment.' },
      );
    } else if (error instanceof ProviderUnavailable) {
      app.log.warn({ err: error, order_id: order.id }, 'the response to an auto-purchase was lost');
    } else throw error;
  }
}

async function giveUpWithoutCard(app: App, account_id: string): Promise<void> {
  await app.db.transaction(async (tx) => {
    await lockBalance(tx, account_id);
    const need = await findNeed(tx, account_id, app.config.autoPurchasesPerDay);
    if (!need) return;
    await switchOff(tx, app, account_id, 'no_card');
    const { credits, price_display } = quote(app.prices.current(), need.amount);
    await notifyAccount(tx, app, account_id, {
      kind: 'autoPurchaseFailed',
      credits,
      price: price_display,
      creditsUrl: `${app.config.publicUrl}/credits`,
      why: 'no payment method is saved.',
      isSwitchedOff: true,
    });
  });
  app.wakeups.notify('notices');
}

// ── statements ──

/** `$1`: the maximum number of auto-purchases per day. */
const IN_NEED = `
  from accounts a
  join balances b on b.account_id = a.id
  left join auto_purchases p on p.account_id = a.id
  where a.auto_purchase_enabled and a.deleted_at is null and a.suspended_at is null
    and (b.credits < a.auto_purchase_threshold or b.debt > 0)
    and p.paused_at is null and (p.retry_at is null or p.retry_at <= clock_now())
    and not exists (select from orders o where o.account_id = a.id and o.kind = 'auto' and o.status = 'pending')
    and (select count(*) from orders o where o.account_id = a.id and o.kind = 'auto' and o.status = 'succeeded'
           and o.id >= uuid_floor(clock_now() - interval '24 hours')) < $1`;

const accountsInNeed = (sql: Sql, perDay: number): Promise<{ account_id: string }[]> =>
  sql.rows(`select a.id as account_id ${IN_NEED} limit ${BATCH_SIZE}`, [perDay]);

const findNeed = (tx: Tx, account_id: string, perDay: number): Promise<{ amount: number } | undefined> =>
  tx.maybe(`select a.auto_purchase_amount as amount ${IN_NEED} and a.id = $2`, [perDay, account_id]);

/** Recent attempts without a response. The reconciler handles older ones. */
const claimUnanswered = (sql: Sql, provider: string): Promise<Order[]> =>
  sql.rows<Order>(
    `update orders set asked_at = clock_now() where id in (
       select id from orders
       where kind = 'auto' and status = 'pending' and intent_id is null and provider = $1
         and asked_at <= clock_now() - interval '30 seconds' and created_at > clock_now() - interval '9 minutes'
       limit ${BATCH_SIZE} for update skip locked)
     returning ${ORDER}`,
    [provider],
  );
