import { exportAccounting } from '@sixdigit/contract/operator/accounting.ts';
import { listDisputes, type OperatorDispute } from '@sixdigit/contract/operator/disputes.ts';
import {
  getReconciliation,
  listPurchases,
  type OperatorPurchase,
} from '@sixdigit/contract/operator/payments.ts';
import { openStream } from '../../api/call.ts';
import { read, readPage } from '../../api/read.ts';
import type { Exporting } from '../../table/run-export.ts';
import type { purchaseSearch } from '../searches.ts';

/** Customers and the card provider change these lists at any time. */
const fresh = { staleTime: 0 };

export const purchasePage = ({ page, search, ordering, status }: typeof purchaseSearch.defaults) =>
  readPage(listPurchases, { query: { page, search, ordering, status } }, fresh);

export const reconciliation = read(getReconciliation, {}, fresh);

export interface DisputeSearch {
  /** an account's id, or '' for all accounts */
  search: string;
  state: 'all' | 'open';
  page: number;
}
export const disputePage = ({ search, state, page }: DisputeSearch) =>
  readPage(listDisputes, { query: { search, state, page } }, fresh);

interface Period {
  /** the first and the last day, such as 2026-11-01 */
  from: string;
  to: string;
}

export const accountingExport = (period: Period): Exporting => ({
  name: `accounting-${period.from}-to-${period.to}`,
  open: (signal) => openStream(exportAccounting, { query: period, signal }),
});

const dayOf = (year: number, month: number, day: number): string =>
  new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);

const monthNames = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The current month and the ones before it in UTC, newest first. */
export const monthsBefore = (now: Date, count: number): { label: string; period: Period }[] =>
  Array.from({ length: count }, (_, n) => {
    const [year, month] = [now.getUTCFullYear(), now.getUTCMonth() - n];
    return {
      label: monthNames.format(Date.UTC(year, month, 1)),
      period: { from: dayOf(year, month, 1), to: dayOf(year, month + 1, 0) },
    };
  });

/** Whether a part of a purchase can still be refunded. */
export const isRefundable = ({
  status,
  refunded_cents,
  price_usd_cents,
}: Pick<OperatorPurchase, 'status' | 'refunded_cents' | 'price_usd_cents'>): boolean =>
  status === 'succeeded' && refunded_cents < price_usd_cents;

/** The credits that a refund removes: the share of the money that is returned by then, rounded down as on the server. */
export function creditsRemovedBy(
  cents: number,
  {
    credits,
    credits_taken,
    price_usd_cents,
    refunded_cents,
  }: Pick<OperatorPurchase, 'credits' | 'credits_taken' | 'price_usd_cents' | 'refunded_cents'>,
): number {
  const share = Math.floor((credits * (refunded_cents + cents)) / price_usd_cents);
  return Math.max(0, Math.min(credits, share) - credits_taken);
}

export { dollars as displayCents } from '../../ui/numbers.ts';

/** The payment's page in Stripe's dashboard. Undefined for other providers. */
export function stripeAddress({
  provider,
  payment_intent_id,
}: Pick<OperatorDispute, 'provider' | 'payment_intent_id'>): string | undefined {
  if (!payment_intent_id || !provider.startsWith('stripe')) return undefined;
  const mode = provider === 'stripe_test' ? 'test/' : '';
  return `https://dashboard.stripe.com/${mode}payments/${encodeURIComponent(payment_intent_id)}`;
}
