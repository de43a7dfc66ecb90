import type { Job } from '../platform/queue/job.ts';
import { autoPurchase } from './auto-purchase.ts';
import { processEvents } from './events.ts';
import { notifyLowBalances } from './low-balance.ts';
import type { PaymentsApp } from './payments.ts';
import { compareDaily, forgetCustomers, reconcile } from './reconcile.ts';
import { countNextTransactions } from './transaction-counts.ts';
import { refundUnmatched } from './unmatched.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** These jobs may run in any number of processes, because each claims its work in the database. */
export function paymentJobs(app: PaymentsApp): Job[] {
  const { cards } = app;
  const low: Job = { name: 'low-balance', everyMs: 5 * SECOND, run: () => notifyLowBalances(app) };
  const counts: Job = {
    name: 'transaction-counts',
    everyMs: 10 * MINUTE,
    run: () => countNextTransactions(app.db),
  };
  if (!cards) return [low, counts];
  return [
    counts,
    { name: 'payment-events', everyMs: 2 * SECOND, run: () => processEvents(app, cards) },
    { name: 'auto-purchase', everyMs: 2 * SECOND, run: () => autoPurchase(app, cards) },
    low,
    { name: 'payment-refunds', everyMs: 10 * SECOND, run: () => refundUnmatched(app, cards) },
    { name: 'payment-reconciler', everyMs: MINUTE, run: () => reconcile(app, cards) },
    { name: 'payment-comparison', everyMs: 10 * MINUTE, run: () => compareDaily(app, cards) },
    { name: 'payment-customers', everyMs: 10 * MINUTE, run: () => forgetCustomers(app, cards) },
  ];
}
