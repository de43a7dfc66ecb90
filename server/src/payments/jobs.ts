import { notifyAccount } from '../messaging/notices/notices.ts';
import type { Sql, Tx } from '../platform/db/sql.ts';
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

/** Sends one mail each time a balance falls below the account's threshold. */
async function notifyLowBalances(app: App): Promise<boolean> {
  await forgetRecovered(app.db);
  const low = await app.db.transaction(async (tx) => {
    const crossed = await claimCrossed(tx);
    for (const { account_id, balance } of crossed)
      await notifyAccount(tx, app, account_id, {
        kind: 'lowBalance',
        balance,
        creditsUrl: `${app.config.publicUrl}/credits`,
      });
    return crossed.length;
  });
  if (low > 0) app.wakeups.notify('notices');
  return low === BATCH_SIZE;
}

const claimCrossed = (tx: Tx): Promise<{ account_id: string; balance: number }[]> =>
  tx.rows(
    `with low as (
       select a.id, b.credits from accounts a join balances b on b.account_id = a.id
       where a.low_balance_threshold is not null and a.deleted_at is null and b.credits < a.low_balance_threshold
         and not exists (select from low_balance_notices n where n.account_id = a.id)
       limit ${BATCH_SIZE}
     ), noted as (
       insert into low_balance_notices (account_id, notified_at) select id, clock_now() from low
       on conflict (account_id) do nothing returning account_id
     )
     select n.account_id, low.credits as balance from noted n join low on low.id = n.account_id`,
  );

const forgetRecovered = (sql: Sql): Promise<number> =>
  sql.run(
    `delete from low_balance_notices n using accounts a, balances b
     where a.id = n.account_id and b.account_id = n.account_id
       and (a.low_balance_threshold is null or b.credits >= a.low_balance_threshold)`,
  );
