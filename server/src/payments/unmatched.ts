/**
 * Payments that cannot be credited to an order. They are recorded in the transaction that detects them. A job refunds each once,
 * with retries, and notifies the account.
 */

import { notifyAccount } from '../messaging/notices/notices.ts';
import type { Sql, Tx } from '../platform/db/sql.ts';
import type { DatabaseGauges } from '../platform/metrics.ts';
import type { Needs } from '../platform/platform.ts';
import type { CardProvider, Intent } from './card-provider.ts';
import type { Order } from './orders.ts';
import { displayAmount } from './pricing.ts';

type App = Needs<'config' | 'db' | 'random' | 'log' | 'vault' | 'wakeups'>;

export interface Unmatched {
  intent: Intent;
  /** `second_intent`: the order already has another intent. The others: the payment differs from the order. */
  reason: 'second_intent' | 'other_amount' | 'other_currency';
}

const BATCH_SIZE = 10;

export async function noteUnmatched(
  tx: Tx,
  { log, wakeups }: Needs<'log' | 'wakeups'>,
  order: Order,
  { intent, reason }: Unmatched,
): Promise<void> {
  if ((await insertUnmatched(tx, order, { intent, reason })) === 0) return;
  log.error(
    {
      order_id: order.id,
      intent_id: intent.id,
      reason,
      amount: intent.amount_cents,
      currency: intent.currency,
    },
    'a payment cannot be credited and will be refunded',
  );
  wakeups.notify('payment-refunds');
}

/** Refunds due payments; failed ones are retried with increasing delays. Returns true if more may wait. */
export async function refundUnmatched(app: App, cards: CardProvider): Promise<boolean> {
  const due = await claimUnmatched(app.db, cards.name);
  for (const payment of due) {
    try {
      await cards.refund(payment.intent_id, payment.tries);
    } catch (error) {
      app.log.error({ err: error, intent_id: payment.intent_id }, 'a payment could not be refunded');
      await noteFailure(app.db, payment.intent_id, error instanceof Error ? error.message : String(error));
      continue;
    }
    await noteRefunded(app, payment);
  }
  return due.length === BATCH_SIZE;
}

async function noteRefunded(app: App, payment: UnmatchedPayment): Promise<void> {
  await app.db.transaction(async (tx) => {
    if ((await markRefunded(tx, payment.intent_id)) === 0) return;
    await notifyAccount(tx, app, payment.account_id, {
      kind: 'paymentRefunded',
      price: displayAmount(payment.amount_cents, payment.currency),
      isRepeated: payment.reason === 'second_intent',
      creditsUrl: `${app.config.publicUrl}/credits`,
    });
    app.log.error(
      { intent_id: payment.intent_id, order_id: payment.order_id, reason: payment.reason },
      'a payment that could not be credited was refunded',
    );
  });
  app.wakeups.notify('notices');
}

// ── statements ──

interface UnmatchedPayment {
  intent_id: string;
  account_id: string;
  order_id: string;
  amount_cents: number;
  currency: string;
  reason: Unmatched['reason'];
  tries: number;
}

const insertUnmatched = (tx: Tx, order: Order, { intent, reason }: Unmatched): Promise<number> =>
  tx.run(
    `insert into unmatched_payments (intent_id, provider, account_id, order_id, amount_cents, currency, reason, found_at, run_at)
     values ($1, $2, $3, $4, $5, $6, $7, clock_now(), clock_now()) on conflict (intent_id) do nothing`,
    [intent.id, order.provider, order.account_id, order.id, intent.amount_cents, intent.currency, reason],
  );

/** Claims payments for two minutes. */
const claimUnmatched = (sql: Sql, provider: string): Promise<UnmatchedPayment[]> =>
  sql.rows(
    `update unmatched_payments set run_at = clock_now() + interval '2 minutes', tries = tries + 1
     where intent_id in (
       select intent_id from unmatched_payments where refunded_at is null and run_at <= clock_now() and provider = $1
       order by run_at limit ${BATCH_SIZE} for update skip locked)
     returning intent_id, account_id, order_id, amount_cents, currency, reason, tries`,
    [provider],
  );

const markRefunded = (tx: Tx, intent_id: string): Promise<number> =>
  tx.run(
    `update unmatched_payments set refunded_at = clock_now(), last_failure = null
     where intent_id = $1 and refunded_at is null`,
    [intent_id],
  );

const noteFailure = (sql: Sql, intent_id: string, failure: string): Promise<number> =>
  sql.run(
    `update unmatched_payments set last_failure = $2,
       run_at = clock_now() + least(interval '6 hours', interval '1 minute' * power(2, least(tries, 10) - 1))
     where intent_id = $1 and refunded_at is null`,
    [intent_id, failure.slice(0, 500)],
  );

/** Payments that wait for their refund, and those refunded in the last 30 days. */
export const unmatchedPayments = (
  sql: Sql,
): Promise<{ waiting: number; refunded: number; last_failure: string | null }> =>
  sql.one(
    `select count(*) filter (where refunded_at is null) as waiting,
       count(*) filter (where refunded_at > clock_now() - interval '30 days') as refunded,
       max(last_failure) filter (where refunded_at is null) as last_failure
     from unmatched_payments`,
  );

export const unmatchedGauges: DatabaseGauges = {
  gauges: [
    {
      name: 'unmatched_payments',
      help: 'Payments of the last 30 days that no order could be credited for: waiting for their refund, or refunded.',
      labelNames: ['state'],
    },
  ],
  read: async (sql) => {
    const { waiting, refunded } = await unmatchedPayments(sql);
    return [
      { name: 'unmatched_payments', labels: { state: 'waiting' }, value: waiting },
      { name: 'unmatched_payments', labels: { state: 'refunded' }, value: refunded },
    ];
  },
};
