import type { SpendLimits } from '@sixdigit/contract/spend.ts';
import type { Sql, Tx } from '../platform/db/sql.ts';

/** The spend limits of an account, and what its sends cost in the current day and month of UTC. */
export interface AccountSpending extends SpendLimits {
  spent_today: number;
  spent_this_month: number;
}

const TODAY = `(clock_now() at time zone 'UTC')::date`;
const SPENDING = `daily_credit_limit, monthly_credit_limit,
  case when spend_day = ${TODAY} then spent_today else 0 end as spent_today,
  case when date_trunc('month', spend_day) = date_trunc('month', ${TODAY}) then spent_this_month else 0 end as spent_this_month,
  floor(extract(epoch from clock_now()) * 1000)::bigint as now_ms`;

export type SpendingNow = AccountSpending & { now_ms: number };

export const spendingOf = (sql: Sql | Tx, account_id: string): Promise<SpendingNow> =>
  sql.one<SpendingNow>(`select ${SPENDING} from balances where account_id = $1`, [account_id]);

/** Call it under the lock of the balance. */
export const setSpendLimits = (
  tx: Tx,
  account_id: string,
  { daily_credit_limit, monthly_credit_limit }: SpendLimits,
): Promise<number> =>
  tx.run('update balances set daily_credit_limit = $2, monthly_credit_limit = $3 where account_id = $1', [
    account_id,
    daily_credit_limit,
    monthly_credit_limit,
  ]);
