/** Enforces spend limits. Days and months are in UTC. */

import type { Spend, SpendLimits } from '@sixdigit/contract/spend.ts';
import { byOwner, changesBetween, record } from '../../audit/audit.ts';
import type { UserCaller } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import {
  type AccountSpending,
  lockBalance,
  type SpendingNow,
  setSpendLimits,
  spendingOf,
} from '../credits.ts';

export interface KeySpending {
  daily_credit_limit: number;
  spent_today: number;
}

const nextDay = (nowMs: number): string => {
  const now = new Date(nowMs);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1)).toISOString();
};

const nextMonth = (nowMs: number): string => {
  const now = new Date(nowMs);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString();
};

interface Left {
  credits: number;
  resets_at: string;
}

/** The credits left under each limit. */
function limitsLeft(account: AccountSpending, key: KeySpending | undefined, nowMs: number): Left[] {
  const left: Left[] = [];
  const { daily_credit_limit, monthly_credit_limit } = account;
  if (daily_credit_limit !== null)
    left.push({ credits: daily_credit_limit - account.spent_today, resets_at: nextDay(nowMs) });
  if (monthly_credit_limit !== null)
    left.push({ credits: monthly_credit_limit - account.spent_this_month, resets_at: nextMonth(nowMs) });
  if (key) left.push({ credits: key.daily_credit_limit - key.spent_today, resets_at: nextDay(nowMs) });
  return left;
}

/**
 * When a send of this cost may be retried: the latest reset of the limits that it would exceed. Undefined if no limit forbids
 * it.
 */
export function spendRefusedUntil(
  account: AccountSpending,
  key: KeySpending | undefined,
  { credits, nowMs }: { credits: number; nowMs: number },
): string | undefined {
  return limitsLeft(account, key, nowMs)
    .filter((left) => left.credits < credits)
    .map(({ resets_at }) => resets_at)
    .sort()
    .at(-1);
}

/** Counts a send's cost. Returns the credits left before the nearest limit, or null without a limit. */
export function countSpending(
  account: AccountSpending,
  key: KeySpending | undefined,
  { credits, nowMs }: { credits: number; nowMs: number },
): number | null {
  account.spent_today += credits;
  account.spent_this_month += credits;
  if (key) key.spent_today += credits;
  const left = limitsLeft(account, key, nowMs);
  return left.length === 0 ? null : Math.max(0, Math.min(...left.map((one) => one.credits)));
}

/**
 * Spend limits. The counters are stored with the balance and change under its lock with each batch of sends, so the limits are
 * exact. Refunds do not reduce the counters, so a limit also bounds the number of undelivered messages.
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
