import { claimBalanceWarnings } from '../credits/credits.ts';
import { notifyAccount } from '../messaging/notices/notices.ts';
import type { Needs } from '../platform/platform.ts';
import type { Job } from '../platform/queue/job.ts';
import { autoPurchase } from './auto-purchase.ts';
import { processEvents } from './events.ts';
import { countNextTransactions } from './history.ts';
import type { PaymentsApp } from './payments.ts';
import { compareDaily, forgetCustomers, reconcile } from './reconcile.ts';
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

type App = Needs<'config' | 'db' | 'random' | 'vault' | 'wakeups'>;

const BATCH_SIZE = 100;

/** Sends one mail each time a balance falls below its threshold, and another when it is used up. */
async function notifyLowBalances(app: App): Promise<boolean> {
  const low = await app.db.transaction(async (tx) => {
    const crossed = await claimBalanceWarnings(tx, BATCH_SIZE);
    for (const { account_id, credits } of crossed)
      await notifyAccount(tx, app, account_id, {
        kind: 'lowBalance',
        balance: credits,
        creditsUrl: `${app.config.publicUrl}/credits`,
      });
    return crossed.length;
  });
  if (low > 0) app.wakeups.notify('notices');
  return low === BATCH_SIZE;
}
