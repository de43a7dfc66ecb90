import { switchOffAutoPurchase } from '../accounts/accounts.ts';
import { record } from '../audit/audit.ts';
import { notifyAccount } from '../messaging/notices/notices.ts';
import type { Tx } from '../platform/db/sql.ts';
import type { Needs } from '../platform/platform.ts';
import type { Order } from './orders.ts';
import { displayPrice } from './pricing.ts';

/** Consecutive declines after which auto-purchase is switched off. After each earlier one it pauses for an hour. */
const MOST_DECLINES = 3;

type App = Needs<'config' | 'random' | 'vault'>;

/**
 * Records a failed auto-purchase, once per order, in the transaction that ends the order. A required authentication pauses
 * auto-purchase, a decline delays it, and the third decline switches it off. Each sends a mail. A failure of the service delays it
 * too, but is neither counted nor told, because the customer can do nothing about it.
 */
export async function noteAutoFailure(
  tx: Tx,
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
    await pause(tx, order.account_id, 'authentication');
    await notifyAccount(tx, app, order.account_id, { kind: 'autoPurchaseNeedsAction', ...facts });
    return;
  }
  const isOurs = OURS.has(failure.code);
  const declines = await delay(tx, order.account_id, isOurs ? 0 : 1);
  if (isOurs) return;
  const isSwitchedOff = declines >= MOST_DECLINES;
  if (isSwitchedOff) await switchOff(tx, app, order.account_id, 'declined');
  await notifyAccount(tx, app, order.account_id, {
    kind: 'autoPurchaseFailed',
    ...facts,
    why: failure.message,
    isSwitchedOff,
  });
}

/** The provider refused the request itself, or never received it. */
const OURS: ReadonlySet<string> = new Set(['provider_refused', 'never_received']);

const SUBJECTS = { declined: 'Three declined payments', no_card: 'No saved card' } as const;

/** Switches auto-purchase off for the owner. */
export async function switchOff(
  tx: Tx,
  app: Needs<'random'>,
  account_id: string,
  reason: keyof typeof SUBJECTS,
): Promise<void> {
  await switchOffAutoPurchase(tx, account_id);
  await tx.run(
    `insert into auto_purchases (account_id, reason) values ($1, $2)
     on conflict (account_id) do update set reason = excluded.reason`,
    [account_id, reason],
  );
  await record(tx, app, {
    account_id,
    actor: 'system',
    action: 'auto_purchase.change',
    subject: SUBJECTS[reason],
    before: { auto_purchase_enabled: true },
    after: { auto_purchase_enabled: false },
  });
}

/** Pauses auto-purchase until the customer makes a purchase or enables it again. */
export const pause = (tx: Tx, account_id: string, reason: 'authentication' | 'reversal'): Promise<number> =>
  tx.run(
    `insert into auto_purchases (account_id, paused_at, reason) values ($1, clock_now(), $2)
     on conflict (account_id) do update set paused_at = excluded.paused_at, reason = excluded.reason`,
    [account_id, reason],
  );

/** A successful purchase resets the failure count. */
export const forgetFailures = (tx: Tx, account_id: string): Promise<number> =>
  tx.run('delete from auto_purchases where account_id = $1', [account_id]);

/** Delays auto-purchase for an hour. Returns the consecutive declines, with the `declined` new ones. */
const delay = async (tx: Tx, account_id: string, declined: 0 | 1): Promise<number> =>
  (
    await tx.one<{ declines: number }>(
      `insert into auto_purchases as a (account_id, declines, retry_at)
       values ($1, $2, clock_now() + interval '1 hour')
       on conflict (account_id) do update set declines = a.declines + excluded.declines, retry_at = excluded.retry_at
       returning declines`,
      [account_id, declined],
    )
  ).declines;
