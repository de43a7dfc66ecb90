import type { Spend, SpendLimits } from '@sixdigit/contract/spend.ts';
import { byOwner, changesBetween, record } from '../../audit/audit.ts';
import type { UserCaller } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { lockBalance, type SpendingNow, setSpendLimits, spendingOf } from '../credits.ts';
import { nextDay, nextMonth } from './decide.ts';

export { countSpending, type KeySpending, spendRefusedUntil } from './decide.ts';

/**
 * Limits of what sends may cost. The counters stand beside the balance and change under its lock with each batch of sends, so the
 * limits are exact. A refund leaves them as they are: a limit also bounds the number of messages that carriers fail to deliver.
 */
export async function spendOf({ db }: Needs<'db'>, account_id: string): Promise<Spend> {
  return shown(await spendingOf(db, account_id));
}

export const changeLimits = (
  app: Needs<'db' | 'random'>,
  caller: UserCaller,
  limits: SpendLimits,
): Promise<Spend> =>
  app.db.transaction(async (tx) => {
    const { account_id } = caller;
    await lockBalance(tx, account_id);
    const before = await spendingOf(tx, account_id);
    await setSpendLimits(tx, account_id, limits);
    const after = await spendingOf(tx, account_id);
    const changes = changesBetween(before, after, ['daily_credit_limit', 'monthly_credit_limit']);
    if (changes) await record(tx, app, { ...byOwner(caller), action: 'spend_limit.change', ...changes });
    return shown(after);
  });

const shown = ({ now_ms, ...spending }: SpendingNow): Spend => ({
  ...spending,
  day_resets_at: nextDay(now_ms),
  month_resets_at: nextMonth(now_ms),
});
