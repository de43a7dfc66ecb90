import type { Spend, SpendLimits } from '#contract/spend.ts';
import { lockBalance, type SpendingNow, setSpendLimits, spendingOf } from '../credits/credits.ts';
import type { Needs } from '../platform/platform.ts';
import { nextDay, nextMonth } from './decide.ts';

export { countSpending, type KeySpending, spendRefusedUntil } from './decide.ts';

/**
 * Limits of what sends may cost. The counters stand beside the balance and change under its lock with each batch of sends, so the
 * limits are exact. A refund leaves them as they are: a limit also bounds the number of messages that carriers fail to deliver.
 */
export async function spendOf({ db }: Needs<'db'>, account_id: string): Promise<Spend> {
  return shown(await spendingOf(db, account_id));
}

export const changeLimits = ({ db }: Needs<'db'>, account_id: string, limits: SpendLimits): Promise<Spend> =>
  db.transaction(async (tx) => {
    await lockBalance(tx, account_id);
    await setSpendLimits(tx, account_id, limits);
    return shown(await spendingOf(tx, account_id));
  });

const shown = ({ now_ms, ...spending }: SpendingNow): Spend => ({
  ...spending,
  day_resets_at: nextDay(now_ms),
  month_resets_at: nextMonth(now_ms),
});
