import { record } from '../audit/audit.ts';
import { deposit, lockBalance, takeBack } from '../credits/credits.ts';
import type { Queryable, Tx } from '../platform/db/sql.ts';
import { Failure, FieldErrors } from '../platform/http/failure.ts';
import type { Needs } from '../platform/platform.ts';
import { isUuid } from '../platform/security/random.ts';
import { pause } from './auto-failures.ts';
import { answered, type CardProvider, type Intent, ProviderRefused, type Reversal } from './card-provider.ts';
import { noteDispute } from './disputes.ts';
import { findOrder, lockOrder, type Order } from './orders.ts';
import { displayPrice } from './pricing.ts';

/**
 * Takes credits back for refunded or disputed money, and restores them if the money returns. The credits withheld correspond pro
 * rata to all money taken from the order, rounded in the customer's favor and at most the credits bought. Each refund and
 * dispute only moves forward. Credits already spent become debt.
 */
export async function applyReversals(
  app: Needs<'db' | 'random'>,
  cards: CardProvider,
  { order, intent }: { order: Order; intent: Intent },
): Promise<void> {
  const { id, account_id } = order;
  if (order.status !== 'succeeded') return;
  // A failed or canceled refund leaves no trace at the charge.
  if (!intent.is_reversed && !(await hasReversals(app.db, id))) return;
  const { reversals, disputes } = await cards.reversalsOf(intent.id);
  await app.db.transaction(async (tx) => {
    await lockBalance(tx, account_id);
    await lockOrder(tx, id);
    for (const dispute of disputes) await noteDispute(tx, order, dispute);
    for (const reversal of reversals) {
      await moveReversal(tx, id, reversal);
      await holdWhatIsTaken(tx, app, id, reversal);
    }
  });
}

async function holdWhatIsTaken(
  tx: Tx,
  app: Needs<'random'>,
  order_id: string,
  reversal: Reversal,
): Promise<void> {
  const order = await lockOrder(tx, order_id);
  const cents = await centsTaken(tx, order_id);
  const target = Math.min(order.credits, Math.floor((order.credits * cents) / order.price_usd_cents));
  const more = target - order.credits_taken;
  if (more === 0) return;
  const entry = {
    account_id: order.account_id,
    id: app.random.uuid(),
    credits: Math.abs(more),
    description: describe(reversal),
  };
  if (more > 0) {
    await takeBack(tx, { ...entry, kind: 'clawback', reference: `clawback:${reversal.id}` });
    // Otherwise auto-purchase could charge a customer who asked for a refund, because the refund lowers the balance.
    await pause(tx, order.account_id, 'reversal');
  } else await deposit(tx, { ...entry, kind: 'reinstate', reference: `reinstate:${reversal.id}` });
  await tx.run('update orders set credits_taken = $2 where id = $1', [order_id, target]);
  await record(tx, app, {
    account_id: order.account_id,
    actor: 'system',
    action: 'purchase.reverse',
    subject: entry.description,
    before: { credits_taken: order.credits_taken },
    after: { credits_taken: target },
  });
}

function describe({ kind, cents, state }: Reversal): string {
  const money = displayPrice(cents);
  if (kind === 'refund')
    return state === 'taken' ? `Card refund of ${money}` : `Card refund of ${money} failed`;
  return state === 'taken' ? `Disputed payment of ${money}` : `Dispute of ${money} won`;
}

/** Does nothing if the reversal is known or would move back. */
const moveReversal = (tx: Tx, order_id: string, { id, cents, state }: Reversal): Promise<number> =>
  tx.run(
    `insert into order_reversals as r (id, order_id, cents, state, taken_at, changed_at)
     values ($1, $2, $3, $4, clock_now(), clock_now())
     on conflict (id) do update set state = excluded.state, changed_at = excluded.changed_at
     where r.state = 'taken' and excluded.state = 'returned'`,
    [id, order_id, cents, state],
  );

/** Whether money was taken from the order, also too little for a credit. */
const hasReversals = async (sql: Queryable, order_id: string): Promise<boolean> =>
  (
    await sql.one<{ found: boolean }>(
      `select exists (select from order_reversals where order_id = $1 and state = 'taken') as found`,
      [order_id],
    )
  ).found;

export const centsTaken = async (sql: Queryable, order_id: string): Promise<number> =>
  (
    await sql.one<{ cents: number }>(
      `select coalesce(sum(cents), 0) as cents from order_reversals where order_id = $1 and state = 'taken'`,
      [order_id],
    )
  ).cents;

type App = Needs<'db' | 'random' | 'log'>;

interface Refund {
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
  if (left <= 0) throw new Failure('not_refundable');
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
 * answer is lost, the provider's event or the daily comparison takes them back. A refusal names the provider's reason, for operators.
 */
export async function refundOrder(
  app: App,
  cards: CardProvider,
  { order, intent_id, cents, refund_id }: Omit<Refund, 'refunded_before'> & { refund_id: string },
): Promise<void> {
  await answered(app, () => cards.refundPart({ intent_id, cents, refund_id })).catch((error: unknown) => {
    throw explained(error);
  });
  const intent = await answered(app, () => cards.findIntent(intent_id));
  if (intent) await applyReversals(app, cards, { order, intent: { ...intent, is_reversed: true } });
}

const explained = (error: unknown): unknown =>
  error instanceof Failure && error.cause instanceof ProviderRefused
    ? new Failure(
        error.reason,
        { error: `The card provider refused the refund, so nothing was refunded: ${error.cause.because}` },
        { cause: error.cause },
      )
    : error;
