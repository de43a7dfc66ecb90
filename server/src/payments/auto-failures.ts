import { notifyAccount } from '../notices/notices.ts';
import type { Sql } from '../platform/db/sql.ts';
import type { Needs } from '../platform/platform.ts';
import type { Order } from './orders.ts';
import { displayPrice } from './pricing.ts';

/** After so many declines in a row auto-purchase is switched off; after each before, it rests an hour. */
const MOST_DECLINES = 3;

type App = Needs<'config' | 'random' | 'vault'>;

/**
 * Books that an auto-purchase brought nothing, in the transaction that ends its order: once an order, however it was
 * learned. A bank that wants its customer pauses it; a decline makes it wait; the third switches it off. Each with a mail.
 */
export async function noteAutoFailure(
  tx: Sql,
  app: App,
  order: Order,
  failure: { code: string; message: string },
): Promise<void> {
  const facts = {
    credits: order.credits,
    price: displayPrice(order.price_usd_cents),
    creditsUrl: `${app.config.publicUrl}/credits`,
  };
  if (failure.code === 'authentication_required') {
    await pause(tx, order.account_id);
    await notifyAccount(tx, app, order.account_id, { kind: 'autoPurchaseNeedsAction', ...facts });
    return;
  }
  const declines = await countDecline(tx, order.account_id);
  const isSwitchedOff = declines >= MOST_DECLINES;
  if (isSwitchedOff) await switchOff(tx, order.account_id);
  await notifyAccount(tx, app, order.account_id, {
    kind: 'autoPurchaseFailed',
    ...facts,
    why: failure.message,
    isSwitchedOff,
  });
}

/** Until the customer has bought something themselves, or switched it on anew. */
export const pause = (tx: Sql, account_id: string): Promise<number> =>
  tx.run(
    `insert into auto_purchases (account_id, paused_at) values ($1, clock_now())
     on conflict (account_id) do update set paused_at = excluded.paused_at`,
    [account_id],
  );

export const switchOff = (tx: Sql, account_id: string): Promise<number> =>
  tx.run('update accounts set auto_purchase_enabled = false where id = $1', [account_id]);

/** A purchase that succeeded makes up for all before it. */
export const forgetFailures = (tx: Sql, account_id: string): Promise<number> =>
  tx.run('delete from auto_purchases where account_id = $1', [account_id]);

const countDecline = async (tx: Sql, account_id: string): Promise<number> =>
  (
    await tx.one<{ declines: number }>(
      `insert into auto_purchases as a (account_id, declines, retry_at)
       values ($1, 1, clock_now() + interval '1 hour')
       on conflict (account_id) do update set declines = a.declines + 1, retry_at = excluded.retry_at
       returning declines`,
      [account_id],
    )
  ).declines;
