import { hasEntry } from '../credits/credits.ts';
import { claimDaily, setFact } from '../platform/db/facts.ts';
import type { Sql } from '../platform/db/sql.ts';
import { type CardProvider, findIntentFor, type Intent } from './card-provider.ts';
import { customersToForget, deleteCustomer } from './customers.ts';
import { selectOpenlyDisputed } from './disputes.ts';
import { deleteOldEvents, refresh } from './events.ts';
import { failOrder, settle } from './fulfil.ts';
import { claimOrdersToCheck, type Order } from './orders.ts';
import type { PaymentsApp } from './payments.ts';
import { applyReversals } from './reversals.ts';

type App = PaymentsApp;
type DueOrder = Awaited<ReturnType<typeof claimOrdersToCheck>>[number];

const BATCH_SIZE = 20;
const COMPARED_DAYS = 3;
const DAY_MS = 86_400_000;

/** Looks up orders that have been open for more than ten minutes, because events can be lost and browsers closed. */
export async function reconcile(app: App, cards: CardProvider): Promise<boolean> {
  const orders = await claimOrdersToCheck(app.db, { provider: cards.name, most: BATCH_SIZE });
  for (const order of orders)
    await check(app, cards, order).catch((error: unknown) =>
      app.log.warn({ err: error, order_id: order.id }, 'an open purchase could not be looked up'),
    );
  return orders.length === BATCH_SIZE;
}

async function check(app: App, cards: CardProvider, order: DueOrder): Promise<void> {
  const intent = await findIntentFor(cards, order);
  if (!intent) {
    if (order.intent_id !== null)
      app.log.error({ order_id: order.id, intent_id: order.intent_id }, 'the provider lost an intent');
    else if (!order.is_in_flight)
      await failOrder(app, order, {
        code: 'never_received',
        message: 'The payment did not reach the card provider; nothing was charged.',
      });
    return;
  }
  await settle(app, (isAbandoned(order, intent) && (await cards.cancelIntent(intent.id))) || intent);
}

/** Whether the order can no longer be paid, because it is a day old or its saved card was declined. */
const isAbandoned = (order: DueOrder, { status, failure }: Intent): boolean =>
  status !== 'succeeded' &&
  status !== 'canceled' &&
  status !== 'processing' &&
  (order.is_old || (order.method_id !== null && status === 'requires_payment_method' && failure !== null));

/**
 * Compares the provider's payments of the last three days with the ledger, once a day, and reads their disputes and all open
 * ones. Credits missing payments and logs them as an error, because they mean that events do not arrive.
 */
export async function compareDaily(app: App, cards: CardProvider): Promise<boolean> {
  const task = `payments_compared:${cards.name}`;
  if (!(await claimDaily(app.db, task))) return false;
  const since = new Date(app.clock.now().getTime() - COMPARED_DAYS * DAY_MS);
  let missing = 0;
  const failures: unknown[] = [];
  const attempt = async (intent_id: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      app.log.error({ err: error, intent_id }, 'a payment could not be compared with the ledger');
      failures.push(error);
    }
  };
  for await (const intent of cards.succeededSince(since))
    await attempt(intent.id, async () => {
      if (await compare(app, cards, intent)) missing += 1;
    });
  const disputed = new Set(await selectOpenlyDisputed(app.db, cards.name));
  for await (const intent_id of cards.disputedSince(since)) disputed.add(intent_id);
  for (const intent_id of disputed)
    await attempt(intent_id, () => refresh(app, cards, { intent_id, isDisputed: true }));
  if (failures.length > 0) throw failures[0];
  await abandonOtherProviders(app.db, cards.name);
  await deleteOldEvents(app.db);
  await setFact(app.db, task, `${missing} missing`);
  return false;
}

/** Credits the payment if the ledger lacks it. Returns whether it did. */
async function compare(app: App, cards: CardProvider, intent: Intent): Promise<boolean> {
  const isEntered = await hasEntry(app.db, `purchase:${intent.id}`);
  const order = await settle(app, intent);
  if (!order) return false;
  const isMissing = !isEntered && order.status === 'succeeded';
  if (isMissing)
    app.log.error({ order_id: order.id, intent_id: intent.id }, 'a payment was missing from the ledger');
  await applyReversals(app, cards, { order, intent });
  return isMissing;
}

/** Deletes the customers of deleted accounts at the provider, including their cards. */
export async function forgetCustomers(app: App, cards: CardProvider): Promise<boolean> {
  const gone = await customersToForget(app.db, cards, BATCH_SIZE);
  for (const { account_id, customer_id } of gone) {
    await cards.deleteCustomer(customer_id);
    await deleteCustomer(app.db, cards, account_id);
  }
  return gone.length === BATCH_SIZE;
}

// ── statements ──

/** After a change of the provider's account or mode, orders of the previous one can no longer be resolved. */
const abandonOtherProviders = (sql: Sql, provider: Order['provider']): Promise<number> =>
  sql.run(
    `update orders set status = case status when 'pending' then 'canceled' else status end, check_at = null
     where provider <> $1 and check_at is not null and created_at < clock_now() - interval '24 hours'`,
    [provider],
  );
