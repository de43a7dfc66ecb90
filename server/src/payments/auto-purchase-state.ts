import type { AutoPurchase } from '@sixdigit/contract/payments.ts';
import type { Sql } from '../platform/db/sql.ts';
import { cardToCharge } from './auto-purchase.ts';
import { findCustomer } from './customers.ts';
import type { PaymentsApp } from './payments.ts';
import { displayPrice, quote } from './pricing.ts';

type App = Pick<PaymentsApp, 'db' | 'config' | 'log' | 'cards' | 'prices'>;

/** The settings of auto-purchase, what it does now, and its last attempt. */
export async function autoPurchaseOf(app: App, account_id: string): Promise<AutoPurchase> {
  const found = await selectState(app.db, account_id, app.config.autoPurchasesPerDay);
  const { auto_purchase_enabled, auto_purchase_threshold, auto_purchase_amount, last_attempt } = found;
  return {
    auto_purchase_enabled,
    auto_purchase_threshold,
    auto_purchase_amount,
    ...stateOf(found),
    price_display: quote(app.prices.current(), auto_purchase_amount).price_display,
    ...(await cardOf(app, account_id)),
    last_attempt: last_attempt && {
      created_at: last_attempt.created_at,
      status: last_attempt.status,
      credits: last_attempt.credits,
      price_display: displayPrice(last_attempt.price_usd_cents),
      failure: last_attempt.status === 'failed' ? last_attempt.failure : null,
    },
  };
}

function stateOf(found: Found): Pick<AutoPurchase, 'state' | 'next_at'> {
  const { reason } = found;
  const is = (state: AutoPurchase['state'], next_at: string | null = null) => ({ state, next_at });
  if (!found.auto_purchase_enabled)
    return is(reason === 'declined' ? 'stopped_declined' : reason === 'no_card' ? 'stopped_no_card' : 'off');
  if (found.last_attempt?.status === 'pending') return is('buying');
  if (found.is_paused) return is(reason === 'reversal' ? 'paused_reversal' : 'paused_authentication');
  if (found.retry_at !== null) return is('retrying', found.retry_at);
  if (found.limited_until !== null) return is('limited', found.limited_until);
  return is('on');
}

/** The state of auto-purchase is shown even if the card provider is unavailable. */
async function cardOf(app: App, account_id: string): Promise<Pick<AutoPurchase, 'card' | 'is_card_known'>> {
  const customer = app.cards && (await findCustomer(app.db, app.cards, account_id));
  if (!app.cards || !customer) return { card: null, is_card_known: true };
  try {
    const saved = await app.cards.listCards(customer.customer_id);
    return { card: cardToCharge(saved, customer.last_method_id) ?? null, is_card_known: true };
  } catch (error) {
    app.log.warn({ err: error }, 'the saved cards could not be read');
    return { card: null, is_card_known: false };
  }
}

interface Found
  extends Pick<AutoPurchase, 'auto_purchase_enabled' | 'auto_purchase_threshold' | 'auto_purchase_amount'> {
  reason: 'authentication' | 'reversal' | 'declined' | 'no_card' | null;
  is_paused: boolean;
  retry_at: string | null;
  /** when the daily limit allows the next purchase; null if it allows one now */
  limited_until: string | null;
  last_attempt: {
    created_at: string;
    status: NonNullable<AutoPurchase['last_attempt']>['status'];
    credits: number;
    price_usd_cents: number;
    failure: string | null;
  } | null;
}

/** `perDay`: the maximum number of auto-purchases per day. */
const selectState = (sql: Sql, account_id: string, perDay: number): Promise<Found> =>
  sql.one<Found>(
    `select a.auto_purchase_enabled, a.auto_purchase_threshold, a.auto_purchase_amount, p.reason,
       p.paused_at is not null as is_paused, case when p.retry_at > clock_now() then iso(p.retry_at) end as retry_at,
       (select iso(o.created_at + interval '24 hours') from orders o
        where o.account_id = a.id and o.kind = 'auto' and o.status = 'succeeded'
          and o.id >= uuid_floor(clock_now() - interval '24 hours')
        order by o.id desc offset greatest(0, $2::integer - 1) limit 1) as limited_until,
       (select json_build_object('created_at', iso(o.created_at), 'status', o.status, 'credits', o.credits,
          'price_usd_cents', o.price_usd_cents, 'failure', o.failure)
        from orders o where o.account_id = a.id and o.kind = 'auto' order by o.id desc limit 1) as last_attempt
     from accounts a left join auto_purchases p on p.account_id = a.id
     where a.id = $1`,
    [account_id, perDay],
  );
