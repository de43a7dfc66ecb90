import type { Queryable } from '../platform/db/sql.ts';
import { Failure, FieldErrors } from '../platform/http/failure.ts';
import type { Needs } from '../platform/platform.ts';
import { isUuid } from '../platform/security/random.ts';
import type { CardProvider } from './card-provider.ts';
import { findOrder, type Order } from './orders.ts';
import { answered } from './provider-refusal.ts';
import { applyReversals, centsTaken } from './reversals.ts';

type App = Needs<'db' | 'random' | 'log'>;

export interface Refund {
  order: Order;
  intent_id: string;
  cents: number;
  refunded_before: number;
}

interface Asked {
  order_id: string;
  /** undefined: all that is left */
  cents: number | undefined;
}

/** Checks a refund of a purchase: throws `not_found`, `not_refundable`, or a field error if less of the price is left. */
export async function openRefund(
  app: { db: Queryable },
  cards: CardProvider,
  { order_id, cents }: Asked,
): Promise<Refund> {
  const { order, intent_id } = await refundable(app, cards, order_id);
  const refunded_before = await centsTaken(app.db, order.id);
  const left = order.price_usd_cents - refunded_before;
  if (left === 0) throw new Failure('not_refundable');
  if (cents !== undefined && cents > left)
    throw new FieldErrors({
      cents: [`Only $${(left / 100).toFixed(2)} of this purchase is left to refund.`],
    });
  return { order, intent_id, cents: cents ?? left, refunded_before };
}

/** Throws `not_found` and `not_refundable`. */
export async function refundable(
  app: { db: Queryable },
  cards: CardProvider,
  order_id: string,
): Promise<{ order: Order; intent_id: string }> {
  const order = isUuid(order_id) ? await findOrder(app.db, order_id) : undefined;
  if (!order) throw new Failure('not_found');
  const { intent_id } = order;
  if (order.status !== 'succeeded' || intent_id === null || order.provider !== cards.name)
    throw new Failure('not_refundable');
  return { order, intent_id };
}

/**
 * Refunds at the card provider, which knows whether enough of the payment is left, and takes the credits back at once. If the
 * answer is lost, the provider's event or the daily comparison takes them back.
 */
export async function refundOrder(
  app: App,
  cards: CardProvider,
  { order, intent_id, cents, refund_id }: Omit<Refund, 'refunded_before'> & { refund_id: string },
): Promise<void> {
  await answered(app, () => cards.refundPart({ intent_id, cents, refund_id }));
  const intent = await answered(app, () => cards.findIntent(intent_id));
  if (intent) await applyReversals(app, cards, { order, intent: { ...intent, is_reversed: true } });
}
