import { notifyAccount } from '../../messaging/notices/notices.ts';
import type { Needs } from '../../platform/platform.ts';
import type { Job } from '../../platform/queue/job.ts';
import { BATCH_SIZE, claimReachedShares } from './queries.ts';

type App = Needs<'config' | 'db' | 'random' | 'vault' | 'wakeups'>;

export const spendJobs = (app: App): Job[] => [
  { name: 'spend-notices', everyMs: 5_000, run: () => notifyReachedShares(app) },
];

/** Sends a mail when an account, or one of its keys, has spent 50, 80 and 100 % of a limit. */
async function notifyReachedShares(app: App): Promise<boolean> {
  const reached = await app.db.transaction(async (tx) => {
    const shares = await claimReachedShares(tx);
    for (const { account_id, key_name, span, percent, credit_limit, spent } of shares)
      await notifyAccount(tx, app, account_id, {
        kind: 'spendLimit',
        keyName: key_name,
        span,
        percent,
        creditLimit: credit_limit,
        spent,
        limitsUrl: `${app.config.publicUrl}/${key_name === null ? 'protection' : 'api-keys'}`,
      });
    return shares.length;
  });
  if (reached > 0) app.wakeups.notify('notices');
  return reached === BATCH_SIZE;
}
